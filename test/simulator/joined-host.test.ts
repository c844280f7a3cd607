// A simulated host whose kubelet joins: in memory and in a folder, over HTTP, and with what is beside machine.json for people.
import {X509Certificate} from 'node:crypto'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, expect, it} from 'vitest'
import {parse} from 'yaml'

import {bootstrapKubeconfig} from '../../src/components/bootstrap-kubeconfig.js'
import type {Machine} from '../../src/machine/machine.js'
import {ADMIN_CERTIFICATE, CLUSTER_CA, SIGNER} from '../../src/simulator/cluster/certificates.js'
import {MemoryHost} from '../fakes/memory-host.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {BOOTSTRAP, CURRENT, KUBECONFIG, TOKEN} from './joining-node.js'
import {KUBELET_ARGS, serviceConfig, withFlags} from './node.js'

const SERVER = 'https://10.0.0.10:6443'
const CONFIG = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nrotateCertificates: true\n'
const folders: string[] = []
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'k8s-win-joined-'))
  folders.push(dir)
  return dir
}

afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, {force: true, recursive: true})
})

async function startKubelet({clock, files, win32}: Machine): Promise<void> {
  await files.remove(KUBECONFIG)
  await files.write(BOOTSTRAP, bootstrapKubeconfig({ca: CLUSTER_CA, server: SERVER, token: TOKEN}))
  await files.write(String.raw`C:\k\kubelet.exe`, makeStandIn({name: 'kubelet', version: 'v1.23.17'}))
  await files.write(String.raw`C:\k\kubelet-config.yaml`, CONFIG)
  const args = withFlags(KUBELET_ARGS, {'bootstrap-kubeconfig': BOOTSTRAP})
  await win32.createService('kubelet', serviceConfig([String.raw`"C:\k\kubelet.exe"`, ...args].join(' ')))
  await win32.startService('kubelet')
  await clock.sleep(10_000)
}

const certificateOf = async ({files}: Machine): Promise<X509Certificate> =>
  new X509Certificate((await files.read(CURRENT)) ?? '')

it.each([
  ['in memory', (): HostFolder => new HostFolder(new MemoryHost())],
  ['in a folder', (): HostFolder => new HostFolder(folder())],
])('gets its certificate, and keeps and renews it when the host is opened again: %s', async (_, make) => {
  const host = make()
  const {dir} = host
  const first = await openSimulator({dir, profile: 'ws2019'})
  await startKubelet(first)
  expect((await first.files.status(CURRENT))?.kind).toBe('link')
  const before = await certificateOf(first)
  host.edit(({cluster, services}) => {
    cluster.signingDurationMs = 600_000
    const {rotation} = services['kubelet']?.process ?? {}
    if (rotation) rotation.at = 0
  })
  const again = await openSimulator({dir, profile: 'ws2019'})
  expect((await certificateOf(again)).serialNumber).toBe(before.serialNumber)
  await again.clock.sleep(5000)
  const renewed = await certificateOf(again)
  expect(renewed.serialNumber).not.toBe(before.serialNumber)
  expect(Date.parse(renewed.validTo) - again.clock.now()).toBeLessThan(600_000)
  await again.clock.sleep(600_000)
  expect((await certificateOf(again)).serialNumber).not.toBe(renewed.serialNumber)
  expect(Date.parse((await certificateOf(again)).validTo)).toBeGreaterThan(again.clock.now())
})

it('answers its own certificate, and only those who trust its authority', async () => {
  const {dir} = await HostFolder.fresh()
  const machine = await openSimulator({dir, profile: 'ws2019'})
  await startKubelet(machine)
  const cert = (await machine.files.read(CURRENT))?.toString() ?? ''
  const ask = (ca: string) =>
    machine.http.request({
      deadlineMs: 10_000,
      effect: 'read',
      method: 'GET',
      tls: {ca, cert, key: cert},
      url: `${SERVER}/api/v1/nodes/win-1`,
    })
  expect((await ask(CLUSTER_CA)).status).toBe(200)
  await expect(ask(SIGNER.cert)).rejects.toMatchObject({code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'})
})

it('does not show a server with the certificate of another authority as trusted', async () => {
  const {dir} = await HostFolder.fresh(({cluster}) => void (cluster.serverAuthority = SIGNER.cert))
  const {http} = await openSimulator({dir, profile: 'ws2019'})
  const url = `${SERVER}/version`
  const get = (ca: string) => http.request({deadlineMs: 10_000, effect: 'read', method: 'GET', tls: {ca}, url})
  await expect(get(CLUSTER_CA)).rejects.toMatchObject({code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'})
  expect((await get(SIGNER.cert)).status).toBe(200)
})

it('has the kubeconfig of an administrator beside machine.json, until a user changes it', async () => {
  const dir = folder()
  await openSimulator({dir, profile: 'ws2019'})
  const path = join(dir, 'admin.kubeconfig')
  const {users} = parse(readFileSync(path, 'utf8')) as {users: {user: Record<string, string>}[]}
  expect(users[0]?.user['client-certificate-data']).toBe(Buffer.from(ADMIN_CERTIFICATE.cert).toString('base64'))
  rmSync(path)
  await openSimulator({dir, profile: 'ws2019'})
  expect(() => readFileSync(path)).toThrow('ENOENT')
})

it('opens a machine.json of before bootstrap tokens: its cluster has none, and no cluster-info for new nodes', async () => {
  const {dir} = await HostFolder.fresh(({cluster}) => {
    delete cluster.secrets
    cluster.roleBindings = cluster.roleBindings?.filter(({name}) => !name.includes('clusterinfo')) ?? []
  })
  const machine = await openSimulator({dir, profile: 'ws2019'})
  const get = (path: string, headers: Record<string, string> = {}) =>
    machine.http.request({
      deadlineMs: 10_000,
      effect: 'read',
      headers,
      method: 'GET',
      tls: {ca: CLUSTER_CA},
      url: `${SERVER}${path}`,
    })
  expect((await get('/api/v1/namespaces/kube-public/configmaps/cluster-info')).status).toBe(403)
  expect((await get('/api/v1/nodes/win-1', {authorization: `Bearer ${TOKEN}`})).status).toBe(401)
  await startKubelet(machine)
  expect(await machine.files.read(CURRENT)).toBeUndefined()
})
