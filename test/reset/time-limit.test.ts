// reset --timeout: exit 6, with the step it was at and what it waited for.
import {expect, test} from 'vitest'
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import {faultyMachine} from '../fakes/faulty.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'

const {copy} = setUpHost()
/** The first that is removed. */
const {service, step} = COMMON_DAEMONS.at(-1)!

test.each([
  ['hnsCall', 'overlay-network', 'Remove the overlay network'],
  ['deleteService', step, `Remove the service ${service}`],
])('%s hangs: it is reported as the step has it', async (call, id, title) => {
  const {result} = await resetOn(copy().dir, {
    given: {purge: true, timeout: '20s', yes: true},
    wrap: (machine) =>
      faultyMachine(machine, [
        {at: ({kind, what}) => kind === 'change' && what === call, does: 'hang', when: 'before'},
      ]),
  })
  expect(result).toMatchObject({
    error: {
      cause: expect.stringMatching(`^It was at "${title}" and waited for: .*${call}`) as string,
      id: 'TIMEOUT_PASSED',
    },
    exitCode: 6,
  })
  expect(result.steps.find(({state}) => state === 'failed')?.id).toBe(id)
})
