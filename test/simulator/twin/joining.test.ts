// The twin of a host that joins: its kubelet gets a certificate at once, whatever cluster the bootstrap kubeconfig names, and
// nothing is asked of the real cluster with it.
import {X509Certificate} from 'node:crypto'
import {expect, it} from 'vitest'
import {bootstrapKubeconfig} from '../../../src/components/bootstrap-kubeconfig.js'
import {SIGNER} from '../../../src/simulator/cluster/certificates.js'
import {makeStandIn} from '../../../src/simulator/mirror/stand-in.js'
import {BOOTSTRAP, CURRENT, KUBECONFIG} from '../joining-node.js'
import {KUBELET_ARGS, serviceConfig, withFlags} from '../node.js'
import {open, type Rig} from './rig.js'

const PROGRAM = String.raw`C:\k\kubelet.exe`
const SERVER = 'https://203.0.113.9:6443'
const REVIEWS = `https://10.0.0.10:6443/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`

async function joined(): Promise<Rig> {
  const rig = await open()
  const {clock, files, win32} = rig.twin.machine
  await files.remove(KUBECONFIG)
  await files.write(BOOTSTRAP, bootstrapKubeconfig({ca: SIGNER.cert, server: SERVER, token: 'fedcba.fedcba9876543210'}))
  await files.write(PROGRAM, makeStandIn({name: 'kubelet', version: 'v1.21.5'}))
  await files.write(
    String.raw`C:\k\kubelet-config.yaml`,
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nrotateCertificates: true\n',
  )
  const args = withFlags(KUBELET_ARGS, {'bootstrap-kubeconfig': BOOTSTRAP})
  await win32.createService('kubelet', serviceConfig([`"${PROGRAM}"`, ...args].join(' ')))
  await win32.startService('kubelet')
  await clock.sleep(10_000)
  return rig
}

it('approves and signs the request of its kubelet at once', async () => {
  const {host, twin} = await joined()
  const pem = (await twin.machine.files.read(CURRENT))?.toString() ?? ''
  expect(new X509Certificate(pem).subject).toContain('CN=system:node:win-1')
  expect((await twin.machine.files.read(KUBECONFIG))?.toString()).toContain(SERVER)
  expect(twin.world.cluster.nodes.map(({name}) => name)).toContain('win-1')
  expect(await host.files.status(CURRENT)).toBeUndefined()
})

it('answers itself what is asked with that certificate', async () => {
  const {asked, twin} = await joined()
  const cert = (await twin.machine.files.read(CURRENT))?.toString() ?? ''
  const before = asked.length
  const spec = {resourceAttributes: {resource: 'services', verb: 'list'}}
  const common = {deadlineMs: 10_000, effect: 'read', tls: {cert, key: cert}} as const
  const review = await twin.machine.http.request({
    ...common,
    body: JSON.stringify({spec}),
    method: 'POST',
    url: REVIEWS,
  })
  expect(JSON.parse(review.body.toString())).toMatchObject({status: {allowed: true}})
  // Not with that certificate: as the host.
  const read = await twin.machine.http.request({
    ...common,
    method: 'GET',
    url: 'https://10.0.0.10:6443/api/v1/namespaces/kube-system/configmaps/kubeadm-config',
  })
  expect(read.status).toBe(404)
  expect(asked.slice(before).filter((one) => one.includes('https://'))).toEqual([])
})
