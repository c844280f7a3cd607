// A Docker that does not answer may have running pods.
import {expect, test} from 'vitest'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'

const {copy} = setUpHost()
const GIVEN = {yes: false}

test('review P3-2: pods of a Docker that runs and is silent end with --yes only', async () => {
  const host = copy()
  host.edit(({docker}) => (docker.running = false))
  const {result} = await resetOn(host.dir, {given: GIVEN})
  expect(result).toMatchObject({error: {id: 'RESET_ENDS_PODS'}, exitCode: 2, steps: []})
  expect(result.error?.fix).not.toContain('--drain')
})

test('review P3-2: one that is stopped, or is not there, has none', async () => {
  for (const isThere of [true, false]) {
    const host = copy()
    host.edit(({docker, services}) => {
      docker.running = false
      if (!isThere) delete services['docker']
      else if (services['docker']) Object.assign(services['docker'], {processId: 0, state: 'stopped'})
    })
    expect((await resetOn(host.dir, {given: GIVEN})).result.error?.id).not.toBe('RESET_ENDS_PODS')
  }
})
