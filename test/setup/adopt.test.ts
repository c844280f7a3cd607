// --adopt: a host that the original script set up becomes a node of k8s-win, whatever state it is in, and is then like a fresh one.
import {beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import type {Effect} from '../../src/machine/intercept.js'
import {isInPlan} from '../../src/pipeline/run/step.js'
import type {World} from '../../src/simulator/world.js'
import {STEPS} from '../../src/steps/index.js'
import {allowEverything} from '../fakes/administrator.js'
import {makeOriginal, type OriginalScript} from '../fixtures/original-script.js'
import {makeRancher, makeSdn} from '../fixtures/other-tools.js'
import {setup} from '../fixtures/run-setup.js'
import {sample, turn} from '../sample.js'
import {comparable, type Comparable} from '../steps/comparable.js'
import {bridgeInstead} from '../steps/drifts/network.js'
import {HostFolder} from '../steps/host-folder.js'
import {Rig} from '../steps/rig.js'
import {removeStep} from '../../src/pipeline/owned/kinds.js'
import {nightly} from '../nightly.js'

const ADOPT = {adopt: 'true'}
const PATH_KEY = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

const PARENTS = /^c:\\(etc|run|usr|usr\\libexec|var|var\\lib|var\\lib\\kubelet)$/

function folder(): HostFolder {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  return host
}

function copyOf(host: HostFolder): HostFolder {
  const copy = host.copy()
  onTestFinished(() => copy.discard())
  return copy
}

/** What may be another than after a fresh setup, by name. */
function ours(host: HostFolder): Comparable {
  return comparable(host, {
    // The kubelet's own state stays, host-local continues counting where it was, and nssm may serve others.
    files: /^var\/lib\/(kubelet\/cpu_manager_state|cni\/networks\/vxlan0\/.*)$|^k\/nssm\.exe$/,
    world(world) {
      // Pods, and the address for kube-proxy, which is the next one that is free.
      world.hns.endpoints = world.hns.endpoints.filter((one) => one['SharedContainers'] === undefined)
      world.hns = JSON.parse(JSON.stringify(world.hns).replaceAll(/10\.244\.3\.[2-9]"/g, 'vip"')) as World['hns']
      // Folders that were there keep who may look into them; what is k8s-win's in them does not depend on it.
      for (const path of Object.keys(world.security)) if (PARENTS.test(path)) delete world.security[path]
      delete world.firewall['KubeProxy Health Check Server 10256 TCP']
      // Images and the containers of pods are the user's; what the node was marked with stays.
      world.docker.containers = []
      world.docker.images = []
      for (const node of world.cluster.nodes) {
        node.annotations = {}
        node.labels = {}
      }

      // PATH was written expanded, and Rancher's variables are harmless.
      world.environment = {}
      for (const key of Object.values(world.registry)) {
        delete key['Path']
        delete key['NODE_NAME']
        delete key['KUBE_NETWORK']
      }

      const proxy = world.services['kubeproxy']
      if (proxy) proxy.config = {...proxy.config, imagePath: proxy.config.imagePath.replace(/vip=\S+/, 'vip=')}
      for (const {process} of Object.values(world.services)) {
        if (!process) continue
        process.arguments = process.arguments.filter((one) => !one.startsWith('--source-vip='))
        process.environment = Object.fromEntries(
          Object.entries(process.environment).filter(([name]) => /^(K8S_WIN_CONFIGURATION)$/.test(name)),
        )
      }
    },
  })
}

let fresh: Comparable
beforeAll(async () => {
  const host = HostFolder.empty()
  await setup(host.dir)
  fresh = ours(host)
  host.discard()
})

async function expectAdopted(host: HostFolder): Promise<void> {
  const {result} = await setup(host.dir, ADOPT)
  expect(result).toMatchObject({exitCode: 0, node: {podCIDR: '10.244.3.0/24', ready: true}})
  expectOurs(host)
  for (const given of [ADOPT, {}]) {
    const again = await setup(host.dir, given)
    expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0, failed: 0}})
    expect(again.effects.filter(({kind, via}) => kind === 'change' && via !== 'files')).toEqual([])
  }
}

function expectOurs(host: HostFolder): void {
  const {firewall, hns, registry, services} = host.world
  expect(ours(host)).toEqual(fresh)
  expect(Object.keys(firewall).filter((name) => !name.startsWith('KubeProxy Health'))).toEqual([
    'k8s-win kubelet TCP 10250',
    'k8s-win flannel VXLAN UDP 4789',
    'k8s-win kube-proxy TCP 10256',
  ])
  expect(hns.networks.map((network) => network['Name'])).toEqual(['nat', 'vxlan0'])
  expect(['flanneld', 'kubelet', 'kubeproxy'].map((name) => services[name]?.name)).toEqual([
    'flanneld',
    'kubelet',
    'kubeproxy',
  ])
  const path = String(registry[PATH_KEY]?.['Path']?.data).toLowerCase().split(';')
  expect(path.filter((entry) => entry === String.raw`c:\k\kubernetes\node\bin`)).toHaveLength(1)
  const store = Object.values(host.filesBut((name) => !/vxlan0\/\d/.test(name)))
  const owners = store.map((content) => Buffer.from(content, 'base64').toString())
  expect(owners.filter((owner) => !owner.endsWith('eth0'))).toEqual(['kube-proxy\r\nsource-vip'])
}

const VARIANTS: readonly (Partial<OriginalScript> & {name: string})[] = [
  {name: 'with flannel 0.11'},
  {flannel: 'v0.13.0', name: 'with flannel 0.13'},
  {name: 'stopped', stopped: true},
  {name: 'cut short after the network External', reached: 'flanneld', runs: 1},
  {name: 'cut short after the kubelet', reached: 'kubelet', runs: 1, stopped: true},
]

describe('a host of the original script', () => {
  test('is refused without --adopt, which is named as the way, and nothing is changed', async () => {
    const host = await makeOriginal(folder().dir)
    const before = host.state
    const {result} = await setup(host.dir)
    expect(result).toMatchObject({error: {id: 'FOREIGN_SERVICE'}, exitCode: 3})
    const failed = result?.checks.filter((check) => check.result === 'fail') ?? []
    expect(failed.map(({id}) => id).sort()).toEqual(['networks', 'other-networks', 'services'])
    for (const {fix} of failed) expect(fix).toContain('--adopt')
    expect(host.state).toEqual(before)
  })

  test.each(sample(VARIANTS, 2))("$name: becomes k8s-win's", async ({name: _name, ...part}) => {
    await expectAdopted(await makeOriginal(folder().dir, part))
  })

  test("its node object stays, its daemons never meet k8s-win's, External is gone before flanneld starts", async () => {
    const host = await makeOriginal(folder().dir)
    const {effects} = await setup(host.dir, ADOPT)
    expect(host.world.cluster.nodes.find(({name}) => name === 'win-1')).toMatchObject({
      annotations: {'example.com/keep': 'this'},
      labels: {team: 'payments'},
    })
    expect(effects.filter(({what}) => what === 'DELETE')).toSatisfy((all: {args: string[]}[]) =>
      all.every(({args}) => !String(args[0]).includes('/nodes/')),
    )
    const told = effects.map(({args, what}) => `${what} ${args.slice(0, 2).join(' ')}`)
    const at = (start: string): number => told.findIndex((line) => line.startsWith(start))
    const networks = told.flatMap((line, index) => (line.startsWith('hnsCall DELETE /networks/') ? [index] : []))
    expect(networks).toHaveLength(2)
    const order = ['deleteService kubelet', 'createService kubelet', 'deleteService flanneld', 'startService flanneld']
    expect(order.map(at)).toEqual(order.map(at).toSorted((a, b) => a - b))
    for (const index of networks) expect(index).toBeLessThan(at('startService flanneld'))
    for (const [service, program] of [
      ['kubeproxy', 'kube-proxy.exe'],
      ['kubelet', 'kubelet.exe'],
    ]) {
      const replaced = told.findIndex((line) => line.startsWith('rename') && line.endsWith(`\\bin\\${program}`))
      expect(at(`stopService ${service}`)).toBeLessThan(replaced)
    }
  })

  test('a network as flanneld would make it stays, with the pods on it; that of 0.11 is made anew', async () => {
    const idOf = ({hns}: World): unknown => hns.networks.find((one) => one['Name'] === 'vxlan0')?.['ID']
    const sandboxes = ({docker}: World): number =>
      docker.containers.filter(({labels}) => labels['io.kubernetes.docker.type'] === 'podsandbox').length
    for (const [flannel, stays] of [
      ['v0.13.0', true],
      ['v0.11.0', false],
    ] as const) {
      const host = await makeOriginal(folder().dir, {flannel})
      const before = idOf(host.world)
      await setup(host.dir, ADOPT)
      expect({id: idOf(host.world) === before, pods: sandboxes(host.world)}).toEqual({id: stays, pods: stays ? 1 : 0})
      expect(host.world.hns.endpoints.some((one) => one['IPAddress'] === '10.244.3.3')).toBe(stays)
    }
  })

  nightly('with flannel 0.11 asked for, External is taken over', async () => {
    const host = await makeOriginal(folder().dir)
    const old = {...ADOPT, digest: `flanneld=sha256:${'cd'.repeat(32)}`, 'flannel-version': '0.11.0'}
    const {result} = await setup(host.dir, old)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.world.hns.networks.map((network) => network['Name'])).toEqual(['nat', 'External', 'vxlan0'])
    expect((await setup(host.dir, old)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('and goes away with all that was taken over', async () => {
    const host = await makeOriginal(folder().dir)
    host.edit(allowEverything)
    await setup(host.dir, ADOPT)
    const rig = await Rig.open({dir: host.dir})
    const reverse = STEPS.filter((step) => isInPlan(step, rig.config)).reverse()
    for (const step of reverse) await step.stop?.(rig.context)
    for (const step of reverse) await removeStep(step, rig.context)
    const {cluster, firewall, hns, registry, services} = host.world
    expect(cluster.nodes.map(({name}) => name)).not.toContain('win-1')
    expect(firewall).toEqual({})
    expect(hns.networks.map((network) => network['Name'])).toEqual(['nat'])
    expect(Object.keys(services)).not.toContain('kubelet')
    expect(String(registry[PATH_KEY]?.['Path']?.data)).not.toContain('kubernetes')
    expect(registry[PATH_KEY]).not.toHaveProperty('KUBECONFIG')
    const stays = /^(Program Files|ProgramData|Users|Windows|k\/(downloads|k8s-win|logs))(\/|$)|^k$/
    expect(Object.keys(host.filesBut((name) => stays.test(name)))).toEqual(['k/kubeconfig'])
  })
})

describe('killed while it takes over, and run again', () => {
  const MOMENTS: readonly [string, (effect: Effect) => boolean][] = [
    ['a service is deleted', ({what}) => what === 'deleteService'],
    ['a service is made', ({what}) => what === 'createService'],
    ['a service is asked to stop', ({what}) => what === 'stopService'],
    ['a network is removed', ({args, what}) => what === 'hnsCall' && /^DELETE .networks/.test(args.join(' '))],
    ['a rule is removed', ({args, what}) => what.endsWith('netsh.exe') && args.includes('delete')],
    ['a wrapper is removed', ({args, what}) => what === 'remove' && String(args[0]).endsWith('Svc.exe')],
    ['an address is released', ({what}) => what.endsWith('host-local.exe')],
    [
      'the environment is changed',
      ({args, what}) => what === 'setRegistryValue' && /Path|KUBECONFIG/.test(args.join(' ')),
    ],
  ]
  let original: HostFolder
  beforeAll(async () => {
    original = await makeOriginal(HostFolder.empty().dir)
    return () => original.discard()
  })

  const POINTS = MOMENTS.flatMap(([name, is]) => (['before', 'after'] as const).map((when) => ({is, name, when})))
  test.each(sample(POINTS, 2))('$when $name', async ({is, when}) => {
    const host = copyOf(original)
    // Of several such moments one time the first, the other time the second.
    let left = when === 'before' ? 0 : 1
    const killed = await setup(host.dir, ADOPT, [{at: (effect) => is(effect) && left-- === 0, does: 'crash', when}])
    expect(killed.result).toBeUndefined()
    expect((await setup(host.dir, ADOPT)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expectOurs(host)
  })
})

test.each(
  turn(
    [
      {make: makeSdn, name: "Microsoft's scripts with nssm"},
      {make: makeRancher, name: "Rancher's hyperkube.ps1"},
    ],
    0,
  ),
)("a host of $name becomes k8s-win's", async ({make}) => {
  const host = await make(folder().dir)
  expect((await setup(host.dir)).result?.exitCode).toBe(3)
  await expectAdopted(host)
  expect(Object.keys(host.world.services)).not.toContain('kube-proxy')
})

test("a bridge in the place of our own node's network is replaced with --adopt only", async () => {
  const host = folder()
  await setup(host.dir)
  host.edit(({hns}) => bridgeInstead(hns))
  const theirs = host.world.hns
  expect((await setup(host.dir)).result).toMatchObject({error: {id: 'FOREIGN_NETWORK'}, exitCode: 3})
  expect(host.world.hns).toEqual(theirs)
  const {result} = await setup(host.dir, ADOPT)
  expect(result?.checks.find(({id}) => id === 'networks')).toMatchObject({
    message: 'the HNS network vxlan0 of another tool will be removed, with everything on it',
    result: 'warn',
  })
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  expect(result?.steps.flatMap(({changes}) => changes)).toContain(
    'remove the HNS network vxlan0 of another installation',
  )
  expect(host.world.hns.networks.find(({Name}) => Name === 'vxlan0')).toMatchObject({Type: 'Overlay'})
})

test('--adopt on a fresh host and on a node of k8s-win changes nothing of how it is', async () => {
  const host = folder()
  await expectAdopted(host)
})
