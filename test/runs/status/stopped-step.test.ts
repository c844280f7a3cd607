// The step at which a run stopped is in the journal: the last result may be of another run.
import {expect, onTestFinished, test} from 'vitest'
import {Win32Error} from '../../../src/machine/win32.js'
import {faultyMachine} from '../../fakes/faulty.js'
import {resetOn} from '../../reset/reset-run.js'
import {setupOn} from '../../setup/in-process.js'
import {healthyNode, statusOn} from '../../status/status-on.js'
import {HostFolder} from '../../steps/host-folder.js'

const RESULT = String.raw`k\k8s-win\result.json`

/** Of a run that was refused since then, whatever it says. */
const other = (command: string): string =>
  JSON.stringify({command, steps: [{error: {id: 'TIMEOUT_PASSED', message: 'x'}, id: 'source-vip', state: 'failed'}]})

async function stoppedAt(host: HostFolder): Promise<string> {
  return (await statusOn(host.dir)).document.problems[0]?.seen ?? ''
}

const refused = (service: string, call: string) =>
  [
    {
      at: ({args, what}: {args: readonly string[]; what: string}) => what === call && args[0] === service,
      does: new Win32Error(call, 5, service),
      when: 'before',
    },
  ] as const

test('review W3-4: of a setup that failed, whatever result.json says', async () => {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  const {result} = await setupOn(
    host.dir,
    {},
    {wrap: (machine) => faultyMachine(machine, refused('kubelet', 'createService'))},
    'ws2019',
  )
  expect(result.steps.find(({state}) => state === 'failed')).toMatchObject({id: 'kubelet-service'})
  for (const text of [host.read(RESULT), other('setup'), '{}']) {
    host.put(RESULT, text)
    expect(await stoppedAt(host)).toContain('at the step kubelet-service')
  }
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  expect(host.journal.filter(({kind}) => kind === 'began')).toEqual([])
})

test('review W3-4: of a reset that failed, whatever result.json says, until it is begun again', async () => {
  const host = (await healthyNode()).copy()
  onTestFinished(() => host.discard())
  const wrap = (machine: Parameters<typeof faultyMachine>[0]) =>
    faultyMachine(machine, refused('flanneld', 'deleteService'))
  expect((await resetOn(host.dir, {given: {yes: true}, wrap})).result.exitCode).toBe(7)
  for (const text of [host.read(RESULT), other('reset'), '{}']) {
    host.put(RESULT, text)
    expect(await stoppedAt(host)).toContain('at the step flanneld-service')
  }
  expect((await resetOn(host.dir, {given: {yes: true}})).result.exitCode).toBe(0)
  expect(host.journal.filter(({kind}) => kind === 'began')).toEqual([])
})
