// The runtime and its images, as status sees them on a node with containerd.
import {beforeEach, describe, expect, it} from 'vitest'
import {DAEMONS} from '../../src/config/daemons.js'
import {daemonsOf} from '../../src/config/daemons.js'
import {checkHealth} from '../../src/health/check-health.js'
import {type CheckScope, runReportingCheck} from '../../src/health/run-reporting-check.js'
import {rootCauseFirst} from '../../src/health/root-cause.js'
import {imagesCheck, runtimeCheck} from '../../src/health/runtime.js'
import {serviceCheck} from '../../src/health/services.js'
import type {StatusArea, StatusProblem} from '../../src/pipeline/run/status-report.js'
import {Facts} from '../../src/preflight/facts.js'
import {MemoryHost} from '../fakes/memory-host.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {sample} from '../sample.js'
import {applySteps, changed, type ContainerdHost, openContainerdHost, RUNTIME_STEPS} from './containerd-host.js'

let made: ContainerdHost
beforeEach(async () => {
  made = await openContainerdHost('1.31.14', new MemoryHost())
  await applySteps(made, ...RUNTIME_STEPS)
})

const scope = ({config, context, machine}: ContainerdHost): CheckScope => ({
  assets,
  config,
  journal: context.journal,
  machine,
  signal: context.signal,
})
const runtimeOf = (host: ContainerdHost) => runReportingCheck(scope(host), runtimeCheck(host.config))
const serviceOf = (host: ContainerdHost) => {
  const [containerd] = daemonsOf(host.config)
  if (!containerd) throw new Error('there is no daemon')
  return runReportingCheck(scope(host), serviceCheck(containerd))
}

describe('containerd', () => {
  it('is reported with its version, its service, and the condition that waits for the CNI configuration', async () => {
    const seen = await runtimeOf(made)
    expect(seen.report).toEqual({
      apiVersion: '',
      mode: 'windows',
      name: 'containerd',
      running: true,
      service: 'running',
      version: made.config.versions.containerd.text,
    })
    expect(seen.problems).toMatchObject([
      {id: 'RUNTIME_UNREADY', restsOn: ['end of the run'], signature: 'cni-conflist-missing', subject: 'NetworkReady'},
    ])
    expect(await serviceOf(made)).toMatchObject({
      problems: [],
      report: {health: 'none', name: 'containerd', restarts: 0, state: 'running'},
    })
  })

  it('is one problem where its service is stopped: the pipe is silent because of it', async () => {
    await made.host.services.stop('containerd', made.context.signal)
    const [runtime, service] = [await runtimeOf(made), await serviceOf(made)]
    expect(runtime).toMatchObject({
      problems: [{id: 'CONTAINERD_STOPPED'}],
      report: {running: false, service: 'stopped'},
      steps: ['containerd-service', 'base-images', 'sandbox-image'],
    })
    expect(rootCauseFirst([...runtime.problems, ...service.problems])).toMatchObject([
      {consequences: 1, id: 'SERVICE_DOWN', subject: 'containerd'},
      {explainedBy: 'SERVICE_DOWN', id: 'CONTAINERD_STOPPED'},
    ])
  })

  it('review S2-7: whose pipe another program has is a problem, not something that was not checked', async () => {
    await made.host.services.stop('containerd', made.context.signal)
    const other = await changed(made, ({os}) => void os.listening.push('npipe/containerd-containerd'))
    expect(await runtimeOf(other)).toMatchObject({problems: [{id: 'PIPE_TAKEN'}], notChecked: []})
  })

  it('is not known to an account that may not open its pipe', async () => {
    const other = await changed(made, ({os}) => void (os.administrator = false))
    expect(await runtimeOf(other)).toMatchObject({problems: [], notChecked: [{what: 'containerd'}]})
  })

  it.each(
    sample(
      [
        [
          'whose CRI plugin is not loaded',
          ({containerd}: World): void => {
            if (containerd.config) containerd.config.criProblem = 'it is broken'
          },
          {id: 'CONTAINERD_FAILED', signature: 'cri-not-served'},
        ],
        [
          'whose program is gone',
          undefined,
          {
            id: 'CONTAINERD_ABSENT',
            steps: ['containerd-binaries', 'containerd-service', 'base-images', 'sandbox-image'],
          },
        ],
      ],
      4,
    ),
  )('%s', async (_, change, problem) => {
    if (!change) await made.machine.files.remove(String.raw`C:\k\containerd\bin\crictl.exe`)
    const sick = change ? await changed(made, change) : made
    expect((await runtimeOf(sick)).problems).toMatchObject([problem])
  })
})

describe('which problem comes first', () => {
  const problem = (area: StatusArea, id: string, subject: string): StatusProblem => ({
    area,
    cause: '',
    command: null,
    id,
    next: '',
    seen: '',
    subject,
    wanted: '',
  })
  const stopped = problem('runtime', 'CONTAINERD_STOPPED', 'containerd')
  const service = problem('services', 'SERVICE_DOWN', 'containerd')
  const unready = problem('runtime', 'RUNTIME_UNREADY', 'NetworkReady')
  const node = problem('node', 'NODE_UNREADY', 'win-1')

  it.each<readonly [string, string, readonly StatusProblem[]]>(
    sample(
      [
        ['a stopped service explains the pipe, and that the node', 'SERVICE_DOWN', [stopped, service, node]],
        [
          'the program that has the pipe explains the service',
          'PIPE_TAKEN',
          [problem('runtime', 'PIPE_TAKEN', 'containerd'), service, node],
        ],
        [
          'a missing program explains the service',
          'PROGRAM_MISSING',
          [stopped, problem('programs', 'PROGRAM_MISSING', String.raw`C:\k\containerd\bin\containerd.exe`), service],
        ],
        [
          'the CNI configuration explains the network of the runtime',
          'DRIFTED',
          [unready, node, problem('drift', 'DRIFTED', 'cni-config')],
        ],
        ['the network of the runtime explains the node', 'RUNTIME_UNREADY', [unready, node]],
        [
          'a full disk explains what containerd cannot do',
          'DISK_FULL',
          [problem('host', 'DISK_FULL', 'C:'), problem('runtime', 'CONTAINERD_FAILED', 'containerd')],
        ],
      ],
      3,
    ),
  )('%s', (_, id, problems) => {
    const [first, ...others] = rootCauseFirst(problems)
    expect(first).toMatchObject({consequences: problems.length - 1, id})
    expect(others.map(({explainedBy}) => explainedBy)).toEqual(others.map(() => id))
  })
})

describe('its images', () => {
  it('are the base images and that of the sandbox', async () => {
    const {config, host} = made
    const states = async () =>
      (await runReportingCheck(scope(made), imagesCheck(config))).report?.map(({state}) => state)
    expect(await states()).toEqual(['present', 'present', 'present'])
    await host.runtime.removeImage('registry.k8s.io/pause:3.10.2')
    expect(await states()).toEqual(['present', 'present', 'missing'])
    const {problems} = await runReportingCheck(scope(made), imagesCheck(config))
    expect(problems).toMatchObject([{id: 'IMAGE_MISSING', steps: ['sandbox-image']}])
    expect(problems[0]?.cause).not.toContain('docker')
  })

  it('of another build do not run here', async () => {
    const other = await changed(made, ({containerd}) => {
      for (const image of containerd.images) image.osVersion = '10.0.17763.5000'
    })
    const {problems, report} = await runReportingCheck(scope(other), imagesCheck(other.config))
    expect(report?.map(({state}) => state)).toEqual(['other build', 'other build', 'other build'])
    expect(problems.map(({id}) => id)).toEqual(Array(3).fill('IMAGE_OF_OTHER_BUILD'))
  })
})

describe('the whole health', () => {
  it('has a row of the runtime in doctor, its service among the services, and names it where it does not respond', async () => {
    await made.host.services.stop('containerd', made.context.signal)
    const {config, context, host} = made
    const records = {
      isComparable: false,
      problems: [],
      unfinished: undefined,
      unnoted: [],
      notChecked: [],
      warnings: [],
    }
    const facts = new Facts(config, host, context.journal)
    const health = await checkHealth({...scope(made), facts, isJustSetUp: true, records, steps: []})
    expect(health.parts.runtime).toMatchObject({name: 'containerd', running: false})
    expect(health.parts.images).toBeNull()
    expect(health.parts.services.map(({name}) => name)).toEqual(DAEMONS.map(({service}) => service))
    expect(health.checks.find(({id}) => id === 'node-runtime')).toMatchObject({result: 'fail'})
  })
})
