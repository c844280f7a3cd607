// Ctrl-C at a spread of the effects of a fresh setup; all of them are in interrupts.crash.ts.
import {beforeAll, describe, expect, test} from 'vitest'
import {type Comparable, comparable} from '../steps/comparable.js'
import {HostFolder} from '../steps/host-folder.js'
import {expectResumable} from './interrupts.js'
import {setupOn} from './setup-run.js'

describe('interrupted and run again', () => {
  let undisturbed: Comparable
  beforeAll(async () => {
    const host = HostFolder.empty()
    await setupOn(host.dir)
    undisturbed = comparable(host)
    host.discard()
  })

  test.each([1, 9, 210, 380, 560, 730])('at effect %s', async (nth) => {
    expect(await expectResumable(nth, undisturbed)).toBe(true)
  })
})
