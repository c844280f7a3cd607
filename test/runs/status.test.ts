import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import type {Machine} from '../../src/machine/machine.js'
import {stepsFor} from '../../src/steps/index.js'
import type {World} from '../../src/simulator/world.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {allowEverything} from '../fakes/administrator.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn, told} from '../status/status-on.js'
import {fileGone, inWorld} from '../steps/drifts/drift.js'
import {HostFolder} from '../steps/host-folder.js'

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

function changed(change: (world: World) => void, host = node.copy()): HostFolder {
  onTestFinished(() => host.discard())
  host.edit(change)
  return host
}

describe('status of a healthy node', () => {
  test('has every part, nothing wrong, and ends with 0', async () => {
    const {document} = await statusOn(node.dir)
    expect(document).toMatchObject({
      baseDir: String.raw`C:\k`,
      exitCode: 0,
      identities: [{usedBy: ['kubelet', 'kube-proxy', 'flanneld'], user: 'system:node:win-1'}],
      network: {name: 'vxlan0', port: 4789, sourceVip: '10.244.3.2', subnet: '10.244.3.0/24', vni: 4096},
      node: {addresses: ['10.0.0.5'], name: 'win-1', podCIDR: '10.244.3.0/24', ready: true, version: 'v1.21.5'},
      problems: [],
      runtime: {mode: 'windows', running: true, version: '20.10.9'},
      notChecked: [],
      verdict: 'healthy',
      warnings: [],
    })
    expect(document.services.map(({health, name, restarts, state}) => [name, state, restarts, health])).toEqual(
      COMMON_DAEMONS.map(({health, service}) => [service, 'running', 0, health ? 'ok' : 'none']),
    )
    expect(document.firewall?.map(({state}) => state)).toEqual(['open', 'open', 'open'])
    expect(document.programs?.map(({state}) => state)).toEqual(Array.from({length: 9}, () => 'verified'))
    expect(document.images?.map(({state}) => state)).toEqual(['present', 'present', 'present'])
    const {services} = node.world
    for (const {name, since} of document.services)
      expect(Date.parse(since ?? '')).toBe(Math.floor(services[name]?.startedAt ?? 0))
  })

  test('looks at every step of setup again', async () => {
    const {document} = await statusOn(node.dir)
    const wanted = stepsFor(setupConfig()).map(({id}) => [id, 'in-place'])
    expect(document.drift?.map(({state, step}) => [step, state])).toEqual(wanted)
  })

  test('changes nothing, starts no program, takes no lock, and asks everything once', async () => {
    const before = node.state
    const {effects} = await statusOn(node.dir)
    expect(node.state).toEqual(before)
    expect(effects.filter(({kind}) => kind === 'change')).toEqual([])
    expect(effects.filter(({via}) => via === 'run')).toEqual([])
    expect(effects.filter(({what}) => what === 'takeMutex')).toEqual([])
    const questions = effects
      .filter(({via, what}) => via !== 'files' && what !== 'survey')
      .map(({args, what}) => `${what} ${args.join(' ')}`)
      // Each asks for another right, in its body; whose a pipe is, is asked before each time that it is opened.
      .filter((question) => !/selfsubjectaccessreviews|^(?:peerProcess|pipeServer|portOwners) /.test(question))
    expect(new Set(questions).size).toBe(questions.length)
    expect(effects.length).toBeLessThan(180)
  })

  test('needs no time but what its answers take', async () => {
    const {document} = await statusOn(node.dir)
    expect(document.durationMs).toBeLessThan(2000)
  })

  test('holds no secret', async () => {
    const {document} = await statusOn(node.dir)
    const key = /client-key-data: ?"?([\w+/=]{40,})/.exec(node.read(String.raw`k\kubeconfig`))?.[1] ?? 'none'
    expect(key).not.toBe('none')
    expect(JSON.stringify(document)).not.toContain(key.slice(0, 40))
    expect(JSON.stringify(document)).not.toContain('PRIVATE KEY')
  })
})

test('a node with options of its own, in another folder, is held against those', async () => {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  const baseDir = String.raw`C:\my node`
  await openSimulator({dir: host.dir, profile: 'ws2019'})
  host.edit(allowEverything)
  const {result} = await setupOn(host.dir, {
    'base-dir': baseDir,
    'cluster-dns': '10.10.0.53',
    kubeconfig: String.raw`C:\k\kubeconfig`,
    'node-label': ['disk=ssd'],
    'node-name': 'worker-7',
    release: '1.22.12',
    skip: ['machine-environment'],
  })
  expect(result.exitCode).toBe(0)
  const {document} = await statusOn(host.dir, {baseDir})
  expect(document).toMatchObject({
    baseDir,
    exitCode: 0,
    node: {name: 'worker-7', version: 'v1.22.12'},
    release: '1.22.12',
  })
  expect(document.drift?.find(({step}) => step === 'machine-environment')).toMatchObject({state: 'skipped'})
  host.remove(String.raw`run\flannel\subnet.env`)
  const sick = await statusOn(host.dir, {baseDir})
  expect(sick.document.problems.map(({command}) => command)).toEqual([`k8s-win recover --base-dir ${baseDir}`])
})

describe('what is not a problem', () => {
  test('a cordoned node is reported as a warning', async () => {
    const host = changed(({cluster}) =>
      Object.assign(cluster.nodes.find(({name}) => name === 'win-1') ?? {}, {unschedulable: true}),
    )
    const {document} = await statusOn(host.dir)
    expect(document).toMatchObject({exitCode: 0, node: {schedulable: false}})
    expect(document.warnings.join()).toContain('kubectl uncordon win-1')
  })

  test('a count that was not kept is not made up', async () => {
    const host = node.copy()
    onTestFinished(() => host.discard())
    for (const {service} of COMMON_DAEMONS) host.remove(`k\\logs\\${service}`)
    const {document} = await statusOn(host.dir)
    expect(document).toMatchObject({exitCode: 0})
    expect(document.services.map(({restarts}) => restarts)).toEqual(COMMON_DAEMONS.map(() => null))
  })

  test('starts of earlier processes are counted', async () => {
    const host = node.copy()
    onTestFinished(() => host.discard())
    const name = 'kubelet.exe.WIN-1.WORKGROUP_WIN-1$.log'
    for (const [severity, id] of [
      ['INFO', 1000],
      ['ERROR', 1000],
      ['INFO', 1200],
    ] as const) {
      host.put(String.raw`k\logs\kubelet` + `\\${name}.${severity}.20211001-080000.${id}`, 'x\n')
    }
    const {document} = await statusOn(host.dir)
    expect(document.services[0]).toMatchObject({name: 'kubelet', restarts: 2})
  })
})

describe('credentials', () => {
  const at = (now: string) => ({
    wrap: (machine: Machine): Machine => ({...machine, clock: {...machine.clock, now: () => Date.parse(now)}}),
  })

  test('that have expired are a problem, with the day and the way out', async () => {
    const {document} = await statusOn(node.dir, at('2121-01-01T00:00:00Z'))
    const problem = document.problems.find(({area}) => area === 'identity')
    expect(problem).toMatchObject({id: 'CREDENTIALS_LAPSED', subject: String.raw`C:\k\kubeconfig`})
    expect(problem?.cause).toContain('expired on 2120-01-01')
    expect(problem?.next).toMatch(/k8s-win setup --kubeconfig <file>/)
    expect(document.exitCode).toBe(8)
  })

  test.each([
    ['2119-11-20T00:00:00Z', 0],
    ['2119-12-05T00:00:00Z', 1],
    ['2119-12-31T00:00:00Z', 1],
  ])('review W5: that expire within 30 days are a warning with the fix: %s', async (time, warned) => {
    const {document} = await statusOn(changed((world) => void (world.os.time = Date.parse(time))).dir)
    expect(document.exitCode).toBe(0)
    // By then upstream does not support the release any more, which is the other warning.
    const warnings = document.warnings.filter((text) => !text.includes('upstream support'))
    expect(warnings).toHaveLength(warned)
    for (const text of warnings) expect(text).toMatch(/kubeconfig.*2120-01-01.*setup --kubeconfig <file>/)
  })
})

describe('status without the cluster', () => {
  const unreachable = (world: World): void => {
    world.cluster.reachable = false
  }

  test('takes what only the cluster knows from the node, and says what it could not look at', async () => {
    const {document} = await statusOn(changed(unreachable).dir)
    expect(document.exitCode).toBe(8)
    expect(document.problems.map(told)).toEqual(['node: https://10.0.0.10:6443', 'network: kubeproxy'])
    expect(document.drift?.filter(({state}) => state === 'drifted' || state === 'missing')).toEqual([])
    const unasked = document.drift?.filter(({state}) => state === 'not-checked').map(({step}) => step)
    expect(unasked).toEqual(['node-registered', 'overlay-network', 'kubeproxy-service', 'node-ready'])
    expect(document.notChecked.map(({what}) => what)).toEqual([
      'what only the cluster can report (node-registered, overlay-network, node-ready)',
    ])
  })

  test('sees drift all the same', async () => {
    const host = changed(unreachable)
    fileGone(String.raw`k\cni\config\cni.conf`).make(host)
    inWorld('', ({firewall}) => void Reflect.deleteProperty(firewall, 'k8s-win kubelet TCP 10250')).make(host)
    const {document} = await statusOn(host.dir)
    expect(document.problems.map(told)).toEqual([
      'firewall: k8s-win kubelet TCP 10250',
      'node: https://10.0.0.10:6443',
      'network: kubeproxy',
      'drift: cni-config',
    ])
  })
})
