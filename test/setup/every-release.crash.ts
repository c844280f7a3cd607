// Every release from nothing on every host: every-release.test.ts has a part of it.
import {describe, it} from 'vitest'
import {expectRefused, expectSetUp, HOSTS, refusalOf, RELEASES} from './every-release.js'

describe.each(HOSTS)('%s', (profile) => {
  it.each(RELEASES)('%s', async (release) => {
    await (refusalOf(profile, release) === undefined ? expectSetUp(profile, release) : expectRefused(profile, release))
  })
})
