// The identity with which watch speaks to the cluster: that of the kubelet, also after it was renewed; and one that was not.
import {createHash, X509Certificate} from 'node:crypto'
import {expect, it} from 'vitest'
import {hostOptions, openHost} from '../../../src/host/host.js'
import type {Machine} from '../../../src/machine/machine.js'
import {readKnownNode} from '../../../src/runs/known-node.js'
import type {Trouble} from '../../../src/runs/watch/model.js'
import {certificateTrouble, nodeIdentity} from '../../../src/runs/watch/node-identity.js'
import {openPublisher} from '../../../src/runs/watch/publish.js'
import {watchOnce} from '../../../src/runs/watch/watch.js'
import {CLUSTER_CA} from '../../../src/simulator/cluster/certificates.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import type {World} from '../../../src/simulator/world.js'
import {assets} from '../../fixtures/assets.js'
import {kubeconfigOf} from '../../preflight/cluster-bench.js'
import {HostInMemory} from '../../setup/host-in-memory.js'
import {HEALTHY} from './publish-rig.js'

const DAY = 86_400_000
const spki = new X509Certificate(CLUSTER_CA).publicKey.export({format: 'der', type: 'spki'})
const PIN = `sha256:${createHash('sha256').update(spki).digest('hex')}`
const JOIN = ['--server', 'https://10.0.0.10:6443', '--token', 'abcdef.0123456789abcdef', '--ca-cert-hash', PIN]

async function joined(): Promise<HostInMemory> {
  const host = await HostInMemory.make()
  const {files} = await openSimulator({dir: host.dir, profile: 'ws2019'})
  await files.remove(String.raw`C:\k\kubeconfig`)
  expect((await host.setup(...JOIN)).code).toBe(0)
  return host
}

async function open(host: HostInMemory) {
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const signal = new AbortController().signal
  const {config} = await readKnownNode({baseDir: String.raw`C:\k`, environment: {}, machine, signal})
  return {machine, node: {config, host: openHost(machine, hostOptions(assets, config))}}
}

const withoutApproval = ({cluster}: World): void => {
  cluster.roleBindings = (cluster.roleBindings ?? []).filter(({name}) => !name.includes('autoapprove'))
}

/** The troubles of one look of watch. */
async function seenBy(machine: Machine): Promise<readonly Trouble[]> {
  let troubles: readonly Trouble[] = []
  const never = () => Promise.reject(new Error('no child process was expected'))
  await watchOnce({
    assets,
    baseDir: String.raw`C:\k`,
    inspect: never,
    machine,
    repair: never,
    reporters: () => [{report: async (state) => void (troubles = state.troubles)}],
    signal: new AbortController().signal,
  })
  return troubles
}

it('is a certificate that the kubelet renews; past 95 % of its lifetime it is a trouble', async () => {
  const host = await joined()
  const bindings = host.world.cluster.roleBindings ?? []
  const {machine, node} = await open(host)
  expect(await certificateTrouble(node)).toBeUndefined()
  expect((await nodeIdentity(node)).nodeName).toBe('win-1')

  host.edit(withoutApproval)
  for (const [days, reason] of [
    [346, undefined],
    [347, 'CertificateNotRenewed'],
  ] as const) {
    host.edit(({os}) => void (os.time = machine.clock.now() + days * DAY))
    const later = await open(host)
    await later.machine.clock.sleep(60_000)
    const trouble = await certificateTrouble(later.node)
    expect(trouble?.reason).toBe(reason)
    if (trouble) expect(trouble.error.id).toBe('KUBELET_CERTIFICATE_NOT_RENEWED')
    expect((await seenBy(later.machine)).map((one) => one.reason)).toEqual(reason === undefined ? [] : [reason])
  }

  // As soon as the cluster approves again, the identity is the new one.
  host.edit(({cluster}) => void (cluster.roleBindings = [...bindings]))
  const approved = await open(host)
  await approved.machine.clock.sleep(300_000)
  expect(await certificateTrouble(approved.node)).toBeUndefined()
  const {cluster} = await nodeIdentity(approved.node)
  expect(await cluster.publishedNode('win-1')).toBeDefined()
})

it('suffices to publish the state of the node', async () => {
  const host = await joined()
  // Only what kubeadm's clusters allow a node.
  host.edit(({cluster}) => void (cluster.permissions = ['Node']))
  const {machine, node} = await open(host)
  const publisher = openPublisher({
    clock: machine.clock,
    identity: () => nodeIdentity(node),
    isPublished: () => true,
    redact: (text) => text,
  })
  const repair = {at: machine.clock.now(), outcome: 'repaired', what: 'flanneld'} as const
  for (let round = 0; round < 8; round++) {
    await publisher.report({...HEALTHY, repairs: round < 2 ? [] : [repair]})
    await machine.clock.sleep(15_000)
  }

  await publisher.end?.()
  const {events, nodes} = host.world.cluster
  expect(nodes.find(({name}) => name === 'win-1')).toMatchObject({conditions: [{reason: 'NotWatched'}], ready: true})
  expect(events).toMatchObject([{involvedObject: {name: 'win-1'}, reason: 'K8sWinRepaired'}])
})

it('of an exec plugin is none: watch starts no program', async () => {
  const host = await HostInMemory.make()
  expect((await host.setup()).code).toBe(0)
  const {machine, node} = await open(host)
  const exec = {apiVersion: 'client.authentication.k8s.io/v1beta1', command: String.raw`C:\k\plugin.exe`}
  await machine.files.write(String.raw`C:\k\kubeconfig`, kubeconfigOf({exec}))
  await expect(nodeIdentity(node)).rejects.toMatchObject({id: 'EXEC_PLUGIN_FAILED'})
})

it('is not that of the original on a copy of its machine', async () => {
  const host = await joined()
  host.edit(({os}) => (os.systemUuid = '564d1234-5678-9abc-def0-123456789abc'))
  const {node} = await open(host)
  await expect(nodeIdentity(node)).rejects.toMatchObject({id: 'NODE_IS_A_COPY'})
})
