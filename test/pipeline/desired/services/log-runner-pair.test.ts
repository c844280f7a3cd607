// kube-log-runner and its daemon: one without the other is found, whichever the service manager shows, and started again.
import {beforeAll, describe, expect, it} from 'vitest'
import {DAEMON} from '../../../../src/config/daemons.js'
import {serviceCheck} from '../../../../src/health/services.js'
import type {Services} from '../../../../src/host/services/services.js'
import {runReportingCheck} from '../../../../src/health/run-reporting-check.js'
import {loneHalf} from '../../../../src/pipeline/desired/services/log-runner-pair.js'
import {STEPS} from '../../../../src/steps/index.js'
import type {ServiceProcess, World} from '../../../../src/simulator/world.js'
import {assets} from '../../../fixtures/assets.js'
import {setupConfig} from '../../../fixtures/setup-config.js'
import {
  applySteps,
  changed,
  type ContainerdHost,
  openContainerdHost,
  RUNTIME_STEPS,
} from '../../../health/containerd-host.js'

const RUNNER = {id: 8, name: 'kube-log-runner.exe', parentId: 700}
const KUBELET = {id: 12, name: 'kubelet.exe', parentId: 8}

const nodeWith = (processes: Services['processes'], release = '1.36.4') => ({
  config: setupConfig({release}),
  host: {services: {processes}},
})

describe('the two processes', () => {
  it.each([
    ['the runner is shown', 8, [RUNNER, KUBELET], undefined],
    ['the daemon is shown', 12, [RUNNER, KUBELET], undefined],
    ['letters differ', 12, [RUNNER, {...KUBELET, name: 'Kubelet.EXE'}], undefined],
    ['only the runner is there', 8, [RUNNER], {alone: 'kube-log-runner.exe', missing: 'kubelet.exe'}],
    [
      'the daemon is of another runner',
      8,
      [RUNNER, {...KUBELET, parentId: 9}],
      {alone: 'kube-log-runner.exe', missing: 'kubelet.exe'},
    ],
    ['only the daemon is there', 12, [KUBELET], {alone: 'kubelet.exe', missing: 'kube-log-runner.exe'}],
    [
      'another process has the number of the runner',
      12,
      [{...RUNNER, name: 'svchost.exe'}, KUBELET],
      {alone: 'kubelet.exe', missing: 'kube-log-runner.exe'},
    ],
    ['the process is neither', 4, [{id: 4, name: 'nssm.exe', parentId: 700}], undefined],
    ['the process has just ended', 16, [RUNNER, KUBELET], undefined],
  ])('%s', async (_, processId, processes, expected) => {
    expect(
      await loneHalf(
        nodeWith(async () => processes),
        DAEMON.kubelet,
        processId,
      ),
    ).toEqual(expected)
  })

  it('are not asked for where there is no runner, or no process', async () => {
    const processes = () => Promise.reject(new Error('not expected'))
    expect(await loneHalf(nodeWith(processes), DAEMON.flanneld, 8)).toBeUndefined()
    expect(await loneHalf(nodeWith(processes, '1.25.16'), DAEMON.kubelet, 8)).toBeUndefined()
    expect(await loneHalf(nodeWith(processes), DAEMON.kubelet, 0)).toBeUndefined()
  })
})

describe('on a node', () => {
  let made: ContainerdHost
  beforeAll(async () => {
    made = await openContainerdHost()
    await applySteps(made, ...RUNTIME_STEPS, 'kubernetes-binaries', 'kubelet-config', 'kubelet-service')
  })

  const step = STEPS.find(({id}) => id === 'kubelet-service')
  const processOf = ({services}: World): ServiceProcess => {
    const {process} = services['kubelet'] ?? {}
    if (!process) throw new Error('the kubelet does not run')
    return process
  }
  const look = async ({config, context, machine}: ContainerdHost) => {
    const {journal, signal} = context
    return runReportingCheck({assets, config, journal, machine, signal}, serviceCheck(DAEMON.kubelet))
  }

  it.each([
    [
      'a runner without its daemon',
      (world: World): void => {
        delete processOf(world).childProcessId
        delete processOf(world).childProgram
      },
      'kubelet.exe',
    ],
    [
      'a daemon without its runner',
      (world: World): void => {
        const process = processOf(world)
        const entry = world.services['kubelet']
        if (entry) entry.processId = process.childProcessId ?? 0
        process.arguments = process.arguments.slice(process.arguments.indexOf(process.childProgram ?? '') + 1)
        process.program = process.childProgram ?? ''
        process.standIn = {name: 'kubelet', version: process.standIn?.version ?? ''}
        delete process.childProcessId
        delete process.childProgram
      },
      'kube-log-runner.exe',
    ],
  ])('%s is found by status, and started again by setup', async (_, change, missing) => {
    expect((await look(made)).problems).toEqual([])
    const sick = await changed(made, change)
    const {problems} = await look(sick)
    expect(problems).toMatchObject([{id: 'DAEMON_WITHOUT_RUNNER', subject: 'kubelet'}])
    expect(problems[0]?.seen).toContain(`without ${missing}`)
    expect(await step?.inspect(sick.context)).toMatchObject({state: 'drifted'})
    await step?.apply(sick.context)
    expect((await look(sick)).problems).toEqual([])
    expect(await step?.inspect(sick.context)).toMatchObject({state: 'in-place'})
  })
})
