// A node with containerd, set up and then made unhealthy: status and doctor name one first cause, and setup repairs it.
import {beforeAll, describe, expect, it} from 'vitest'
import {DAEMONS} from '../../src/config/daemons.js'
import {statusRows} from '../../src/output/status/status-rows.js'
import {recogniseAll} from '../../src/signatures/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {ServiceEntry, World} from '../../src/simulator/world.js'
import {examine} from '../doctor/doctor-rig.js'
import {nodeWithPod} from '../fixtures/node-with-pod.js'
import {sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'

const PROFILE = 'ws2022-containerd'
let node = HostFolder.empty()
beforeAll(async () => {
  node = HostFolder.empty()
  const {result} = await setupOn(node.dir, {}, {}, PROFILE)
  expect(result.error).toBeUndefined()
})

const logOf = (path: string): string => node.read(`k\\logs\\${path}`)
const entryOf = ({services}: World, name: string): ServiceEntry => {
  const entry = services[name]
  if (!entry) throw new Error(`there is no service ${name}`)
  return entry
}
const stopped = (name: string) => (host: HostFolder) =>
  host.edit((world) => {
    const entry = entryOf(world, name)
    Object.assign(entry, {exitCode: 0, processId: 0, stage: '', state: 'stopped'})
    delete entry.process
    delete entry.listening
    if (name === 'containerd') world.containerd.running = false
  })

it('is healthy, with its runtime, every service and three images', async () => {
  const {document} = await statusOn(node.dir, {profile: PROFILE})
  expect(document).toMatchObject({problems: [], notChecked: [], verdict: 'healthy'})
  expect(document.runtime).toMatchObject({mode: 'windows', name: 'containerd', running: true, service: 'running'})
  expect(document.services.map(({health, name, restarts, state}) => [name, state, health, restarts])).toEqual(
    DAEMONS.map(({health, service}) => [
      service,
      'running',
      health ? 'ok' : 'none',
      service === 'flanneld' ? (expect.any(Number) as number) : 0,
    ]),
  )
  expect(document.images?.map(({state}) => state)).toEqual(['present', 'present', 'present'])
  expect((await examine(node, {profile: PROFILE})).check('node-runtime')).toMatchObject({result: 'pass'})
})

it('review T1: its kubelet has logged the two warnings of 1.31 and newer; review T14: no log shows a known failure', () => {
  const warnings = logOf('kubelet\\kubelet.log').match(/ignored configuration option: \w+/g)
  expect(warnings).toEqual([
    'ignored configuration option: CgroupsPerQOS',
    'ignored configuration option: EnforceNodeAllocatable',
  ])
  for (const [source, path] of [
    ['kubelet', 'kubelet\\kubelet.log'],
    ['kube-proxy', 'kubeproxy\\kube-proxy.log'],
    ['flanneld', 'flanneld\\shawl_for_flanneld_rCURRENT.log'],
    ['containerd', 'containerd\\shawl_for_containerd_rCURRENT.log'],
  ] as const) {
    const files = ['10-flannel.conflist', 'cni.conf', 'subnet.env'] as const
    expect([source, recogniseAll(logOf(path), source, files).map(({id}) => id)]).toEqual([source, []])
  }
})

it('review T14: while a cluster autoscaler removes it, /healthz of kube-proxy is 503, and kube-proxy is healthy', async () => {
  const host = node.copy()
  host.edit(({cluster}) => {
    for (const one of cluster.nodes) one.taints.push({effect: 'NoSchedule', key: 'ToBeDeletedByClusterAutoscaler'})
  })
  const {http} = await openSimulator({dir: host.dir, profile: PROFILE})
  const statusOf = async (path: string): Promise<number> =>
    (await http.request({deadlineMs: 1000, effect: 'read', method: 'GET', url: `http://127.0.0.1:10256${path}`})).status
  expect([await statusOf('/healthz'), await statusOf('/livez')]).toEqual([503, 200])
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.services.find(({name}) => name === 'kubeproxy')).toMatchObject({health: 'ok', state: 'running'})
})

describe.each<readonly [string, string, string, (host: HostFolder) => void]>(
  sample(
    [
      ['containerd is stopped', 'SERVICE_DOWN', 'containerd', stopped('containerd')],
      [
        'the service of containerd is disabled',
        'SERVICE_DISABLED',
        'containerd',
        (host) =>
          host.edit((world) => {
            const entry = entryOf(world, 'containerd')
            entry.config = {...entry.config, startType: 'disabled'}
          }),
      ],
      [
        'config.toml was changed',
        'DRIFTED',
        'containerd-config',
        (host) => host.append(String.raw`k\containerd\config.toml`, '\n# by hand\n'),
      ],
      [
        'the CNI configuration is gone',
        'DRIFTED',
        'cni-config',
        (host) => host.remove(String.raw`k\cni\config\10-flannel.conflist`),
      ],
      [
        'the sandbox image is gone',
        'IMAGE_MISSING',
        'registry.k8s.io/pause:3.10.2',
        (host) =>
          host.edit(({containerd}) => {
            containerd.images = containerd.images.filter(({tags}) => !tags.some((tag) => tag.includes('pause')))
          }),
      ],
      [
        'crictl.exe is gone',
        'PROGRAM_MISSING',
        String.raw`C:\k\containerd\bin\crictl.exe`,
        (host) => host.remove(String.raw`k\containerd\bin\crictl.exe`),
      ],
      [
        'the base images are for another Windows',
        'IMAGE_OF_OTHER_BUILD',
        'mcr.microsoft.com/windows/nanoserver:ltsc2022',
        (host) =>
          host.edit(({containerd}) => {
            const bases = containerd.images.filter(({tags}) =>
              tags.some((tag) => /(?:nanoserver|servercore):/.test(tag)),
            )
            // Its proof is in the journal, by its ID.
            for (const image of bases) image.osVersion = '10.0.17763.1'
            for (const image of bases.slice(1)) image.id = `sha256:${'ab'.repeat(32)}`
          }),
      ],
      [
        'kube-log-runner of kube-proxy was ended alone',
        'DAEMON_WITHOUT_RUNNER',
        'kubeproxy',
        (host) =>
          host.edit((world) => {
            const entry = entryOf(world, 'kubeproxy')
            const {process} = entry
            if (!process?.standIn) throw new Error('kube-proxy does not run')
            entry.processId = process.childProcessId ?? 0
            process.arguments = process.arguments.slice(process.arguments.indexOf(process.childProgram ?? '') + 1)
            process.program = process.childProgram ?? ''
            process.standIn.name = 'kube-proxy'
            delete process.childProcessId
            delete process.childProgram
          }),
      ],
    ],
    4,
  ),
)('%s', (_, id, subject, make) => {
  it('is named by status and doctor, and repaired by setup', async () => {
    const host = node.copy()
    make(host)
    const {document: status} = await statusOn(host.dir, {profile: PROFILE})
    const {document: doctor} = await examine(host, {profile: PROFILE})
    expect(status.verdict).toBe('degraded')
    expect(status.problems[0]).toMatchObject({id, subject})
    expect(doctor.problems[0]).toMatchObject({id, subject})
    for (const {next} of status.problems) expect(next).not.toMatch(/\breset\b/)

    const {result} = await setupOn(host.dir, {}, {}, PROFILE)
    expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
    expect((await statusOn(host.dir, {profile: PROFILE})).document).toMatchObject({
      problems: [],
      notChecked: [],
      verdict: 'healthy',
    })
  })
})

const endsOf = ({steps}: {readonly steps: readonly {readonly changes: readonly string[]}[]}): string[] =>
  steps.flatMap(({changes}) => changes).filter((change) => change.startsWith('end what runs in containerd'))

it('whose containerd hangs gets it restarted by setup, as the dry run says', async () => {
  const host = await nodeWithPod()
  host.edit(({containerd}) => (containerd.running = false))
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems.filter(({explainedBy}) => explainedBy === undefined)).toMatchObject([
    {id: 'CONTAINERD_STOPPED', next: expect.stringContaining('"net stop containerd", then "net start') as string},
  ])
  const ends = expect.arrayContaining([
    expect.stringMatching(/^end what runs in containerd.*could not list/),
  ]) as string[]
  const step = {changes: ends, id: 'containerd-service'}
  const {result: plan} = await setupOn(host.dir, {}, {dryRun: true}, PROFILE)
  expect(plan.steps).toContainEqual(expect.objectContaining(step))
  const {result} = await setupOn(host.dir, {}, {}, PROFILE)
  expect(result.exitCode).toBe(0)
  expect(result.steps).toContainEqual(expect.objectContaining(step))
  expect((await statusOn(host.dir, {profile: PROFILE})).document).toMatchObject({problems: [], verdict: 'healthy'})
})

it('whose containerd hangs without pods gets it restarted, and neither the dry run nor the run says that pods end', async () => {
  const host = node.copy()
  host.edit(({containerd}) => (containerd.running = false))
  const {processId} = entryOf(host.world, 'containerd')
  const {result: plan} = await setupOn(host.dir, {}, {dryRun: true}, PROFILE)
  const {result} = await setupOn(host.dir, {}, {}, PROFILE)
  expect(entryOf(host.world, 'containerd').processId).not.toBe(processId)
  expect([endsOf(plan), endsOf(result)]).toEqual([[], []])
})

it('whose first setup failed at an image has one problem: the setup', async () => {
  const host = await HostFolder.fresh(({downloads}) => {
    downloads['mcr.microsoft.com/windows/servercore:ltsc2022'] = {fault: 'truncated'}
  }, PROFILE)
  expect((await setupOn(host.dir, {}, {}, PROFILE)).result).toMatchObject({error: {id: 'PULL_FAILED'}, exitCode: 4})
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems.map(({id}) => id)).toEqual(['SETUP_UNFINISHED'])
  expect(statusRows(document)[0]).toMatchObject({label: 'node', mark: 'bad'})
  expect((await examine(host, {profile: PROFILE})).document.problems.map(({id}) => id)).toEqual(['SETUP_UNFINISHED'])
})

it('whose service belongs to something else is reported once: it cannot be adopted', async () => {
  const host = node.copy()
  host.edit((world) => {
    const entry = entryOf(world, 'containerd')
    entry.config = {...entry.config, description: 'another containerd'}
  })
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems.filter(({subject}) => subject === 'containerd').map(({id}) => id)).toEqual([
    'CONTAINERD_PRESENT',
  ])
})

it('whose kubelet does not know a flag: the service manager shows it stopped, and status why (kubernetes#123173)', async () => {
  const host = node.copy()
  host.edit((world) => {
    const entry = entryOf(world, 'kubelet')
    entry.config = {...entry.config, imagePath: `${entry.config.imagePath} --no-such-flag`}
  })
  const {clock, win32} = await openSimulator({dir: host.dir, profile: PROFILE})
  await win32.stopService('kubelet')
  await clock.sleep(30_000)
  await win32.startService('kubelet').catch(() => {})
  await clock.sleep(30_000)
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems.find(({subject}) => subject === 'kubelet')).toMatchObject({
    id: 'SERVICE_DOWN',
    signature: 'flag-unknown',
  })
})

it('beside which dockerd was started: status and doctor say so, and what to do about the pods (moby#45462)', async () => {
  const host = node.copy()
  host.edit(({docker, services}) => {
    const entry = structuredClone(services['hns'])
    if (!entry) throw new Error('there is no hns')
    const config = {
      ...entry.config,
      imagePath: String.raw`C:\docker\dockerd.exe --run-service`,
      startType: 'automatic',
    } as const
    services['docker'] = {...entry, config, name: 'docker', processId: 7777}
    docker.running = true
  })
  const {document: status} = await statusOn(host.dir, {profile: PROFILE})
  const {check, document} = await examine(host, {profile: PROFILE})
  for (const {problems} of [status, document]) {
    expect(problems).toMatchObject([
      {id: 'DOCKER_BESIDE_CONTAINERD', next: expect.stringMatching(/kubectl delete pod/) as string},
    ])
  }
  expect(status.verdict).toBe('degraded')
  expect(check('docker').result).toBe('fail')
})

it('review S2-7: whose pipe another program has does not keep status waiting: crictl is not started', async () => {
  const host = node.copy()
  stopped('containerd')(host)
  host.edit(({os}) => os.listening.push('npipe/containerd-containerd'))
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.problems.map(({id}) => id)).toContain('PIPE_TAKEN')
  expect(document.durationMs).toBeLessThan(16_000)
})
