// A step that fails for want of what a skipped one makes: the skipping is reported, and how to undo it.
import {expect, it} from 'vitest'
import {interrupted} from '../../../src/errors/health.js'
import {inPlace} from '../../../src/pipeline/run/step.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {setupOn} from '../../setup/in-process.js'
import {temporaryFolder} from '../../steps/rig.js'
import {start, step} from './pipeline-rig.js'
import {turn} from '../../sample.js'

const absent = () => Promise.reject(new Win32Error('StartServiceW', 1060, 'kubelet'))

it('names the skipped step, what is not there, and what failed', async () => {
  const {error} = await start(
    [step('kubelet-service'), step('node-registered', {apply: absent, needs: ['kubelet-service']})],
    {skip: ['kubelet-service']},
  ).outcome
  expect(error).toMatchObject({exitCode: 5, id: 'SKIPPED_STEP_NEEDED'})
  expect(error).toMatchObject({fix: expect.stringContaining('without --skip kubelet-service') as string})
  expect(error).toMatchObject({
    reason:
      'kubelet-service was skipped (--skip), and no kubelet-service. As a result this failed: StartServiceW(kubelet) failed.',
  })
})

it('goes through skipped steps to the deepest, and not through one that ran', async () => {
  const steps = [
    step('firewall-rules'),
    step('kubelet-service', {needs: ['firewall-rules']}),
    step('flanneld-service', {needs: ['kubelet-service']}),
    step('overlay-network', {needs: ['flanneld-service']}),
    step('source-vip', {apply: absent, needs: ['overlay-network']}),
  ]
  const skip = ['firewall-rules', 'flanneld-service', 'overlay-network'] as const
  const {error} = await start(steps, {skip}).outcome
  expect(error).toMatchObject({message: 'The step "Provide source-vip" requires the skipped step flanneld-service'})
})

it.each([
  ['what was skipped is there', {inspect: () => Promise.resolve(inPlace('it'))}, absent, 'WINDOWS_CALL_FAILED'],
  ['it cannot be looked at', {inspect: absent}, absent, 'WINDOWS_CALL_FAILED'],
  ['somebody stopped the run', {}, () => Promise.reject(interrupted({})), 'INTERRUPTED'],
])('leaves the error as it is where %s', async (_, part, apply, id) => {
  const steps = [step('kubelet-service', part), step('node-registered', {apply, needs: ['kubelet-service']})]
  expect((await start(steps, {skip: ['kubelet-service']}).outcome).error).toMatchObject({id})
})

it.each(
  turn(
    [
      ['overlay-network', 'the HNS network vxlan0 does not exist'],
      ['kubelet-service', 'the service kubelet does not exist'],
      ['flanneld-service', 'the service flanneld does not exist'],
    ],
    1,
  ),
)('a fresh host with --skip %s', async (skipped, evidence) => {
  const {result} = await setupOn(temporaryFolder(), {skip: [skipped]})
  expect(result).toMatchObject({error: {id: 'SKIPPED_STEP_NEEDED'}, exitCode: 5})
  expect(result.error?.cause).toContain(`${skipped} was skipped (--skip), and ${evidence}`)
})
