// TLS bootstrap with the real kubelet, approver and signer: a token becomes a certificate, and how it does not.
import {X509Certificate} from 'node:crypto'
import {existsSync} from 'node:fs'
import {readdir, readFile, readlink, rm} from 'node:fs/promises'
import path from 'node:path'
import {afterAll, afterEach, beforeAll, expect, test} from 'vitest'
import {parse} from 'yaml'
import {readKubeconfig} from '../../src/host/cluster/kubeconfig.js'
import {clusterAs} from './as-cluster.js'
import {type ControlPlane, FIRST_TOKEN, startControlPlane, waitUntil} from './control-plane.js'
import {type Kubelet, startKubelet} from './kubelet.js'
import {makeRequest, nodeIdentity, REQUESTS, signingRequest, signingRequests} from './node-identity.js'

const AUTO_APPROVE = 'kubeadm:node-autoapprove-bootstrap'
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

let plane: ControlPlane
let kubelet: Kubelet | undefined

beforeAll(async () => {
  plane = await startControlPlane()
})
afterEach(async () => {
  await kubelet?.close()
  kubelet = undefined
})
afterAll(() => plane?.close())

const requestOf = (node: string) =>
  waitUntil(`a request of ${node}`, async () => {
    const all = await signingRequests(plane)
    return all.find(({conditions}) => conditions.length === 0)
  })

const certificateOf = ({certificate}: Kubelet): Promise<X509Certificate> =>
  waitUntil('the certificate', async () =>
    existsSync(certificate) ? new X509Certificate(await readFile(certificate)) : undefined,
  )

test('the kubelet gets its certificate from a token, and writes a kubeconfig that names it by path', async () => {
  kubelet = await startKubelet(plane, 'win-1', FIRST_TOKEN)
  const certificate = await certificateOf(kubelet)
  expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:win-1')
  expect(certificate.checkIssued(new X509Certificate(plane.ca))).toBe(true)
  const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000
  expect(Math.round(days)).toBe(365)
  const link = await readlink(kubelet.certificate)
  expect(path.basename(link)).toMatch(/^kubelet-client-\d{4}(?:-\d{2}){5}\.pem$/)
  const files = (await readdir(kubelet.certificates)).filter((name) => name.startsWith('kubelet-client'))
  expect(files.sort()).toEqual([path.basename(link), 'kubelet-client-current.pem'])

  const text = await readFile(kubelet.kubeconfig, 'utf8')
  expect(parse(text)).toEqual({
    apiVersion: 'v1',
    clusters: [
      {
        cluster: {'certificate-authority-data': Buffer.from(plane.ca).toString('base64'), server: plane.server},
        name: 'default-cluster',
      },
    ],
    contexts: [
      {context: {cluster: 'default-cluster', namespace: 'default', user: 'default-auth'}, name: 'default-context'},
    ],
    'current-context': 'default-context',
    kind: 'Config',
    // client-go from 1.34 on omits it.
    ...(plane.minor < 34 && {preferences: {}}),
    users: [
      {name: 'default-auth', user: {'client-certificate': kubelet.certificate, 'client-key': kubelet.certificate}},
    ],
  })
  const {certificate: read} = await readKubeconfig(kubelet.kubeconfig, Buffer.from(text), readFile)
  expect(new X509Certificate(read ?? '').fingerprint256).toBe(certificate.fingerprint256)

  const [request] = (await signingRequests(plane)).filter(({username}) => username === 'system:bootstrap:abcdef')
  expect(request).toMatchObject({
    conditions: [{reason: 'AutoApproved', type: 'Approved'}],
    groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
    hasCertificate: true,
    signer: 'kubernetes.io/kube-apiserver-client-kubelet',
  })
  // With rotation it asks in the background, by a name that the server makes up; "node-csr-" is the other way's.
  expect(request?.name).toMatch(/^csr-[a-z0-9]{5}$/)
})

test('a second start needs no token', async () => {
  kubelet = await startKubelet(plane, 'win-5', FIRST_TOKEN)
  const {fingerprint256} = await certificateOf(kubelet)
  await kubelet.close()
  kubelet = await startKubelet(plane, 'win-5')
  await kubelet.logged(/(Current kubeconfig file contents are still valid, no bootstrap necessary)/)
  expect(await certificateOf(kubelet)).toMatchObject({fingerprint256})
})

test('a kubeconfig whose certificate is gone does not keep the kubelet from joining again', async () => {
  kubelet = await startKubelet(plane, 'win-6', FIRST_TOKEN)
  const {fingerprint256} = await certificateOf(kubelet)
  await kubelet.close()
  await rm(kubelet.certificates, {recursive: true})
  kubelet = await startKubelet(plane, 'win-6', FIRST_TOKEN)
  expect((await certificateOf(kubelet)).fingerprint256).not.toBe(fingerprint256)
})

test('without a token and without a certificate the kubelet ends', async () => {
  kubelet = await startKubelet(plane, 'win-7')
  const said = await kubelet.logged(/failed to run Kubelet: (.*)/)
  // Newer ones log it as a field, in quotation marks: err="failed to run ..." (component-base/cli/run.go).
  expect(said).toMatch(
    /^unable to load bootstrap kubeconfig: stat \S+bootstrap-kubeconfig: no such file or directory"?$/,
  )
})

test('a node renews its certificate with its own identity', async () => {
  const first = await nodeIdentity(plane, 'win-2', {token: FIRST_TOKEN})
  const second = await nodeIdentity(plane, 'win-2', first)
  expect(new X509Certificate(second.cert).subject).toBe('O=system:nodes\nCN=system:node:win-2')
  const all = await signingRequests(plane)
  expect(all.find(({username}) => username === 'system:node:win-2')).toMatchObject({
    conditions: [{reason: 'AutoApproved', type: 'Approved'}],
    hasCertificate: true,
  })
})

test('a request for another subject is not approved', async () => {
  const {request} = await makeRequest(plane, '/O=system:masters/CN=admin')
  const {body, status} = await plane.ask({
    as: {token: FIRST_TOKEN},
    body: signingRequest(request),
    method: 'POST',
    path: REQUESTS,
  })
  expect([status, body.toString('utf8')]).toEqual([201, expect.stringContaining('"status":{}')])
  const {metadata} = JSON.parse(body.toString('utf8')) as {metadata: {name: string}}
  // Later ones are approved meanwhile, so the approver has seen this one.
  await nodeIdentity(plane, 'win-3', {token: FIRST_TOKEN})
  const all = await signingRequests(plane)
  expect(all.find(({name}) => name === metadata.name)).toMatchObject({conditions: [], hasCertificate: false})
  await plane.do({method: 'DELETE', path: `${REQUESTS}/${metadata.name}`})
})

test('without the binding of approvals the kubelet waits, and a request that is denied is asked again', async () => {
  const binding = await plane.do({path: `${BINDINGS}/${AUTO_APPROVE}`})
  await plane.do({method: 'DELETE', path: `${BINDINGS}/${AUTO_APPROVE}`})
  try {
    kubelet = await startKubelet(plane, 'win-4', FIRST_TOKEN)
    const pending = await requestOf('win-4')
    // As setup sees it, with the rights of the token.
    const joining = await clusterAs(plane, {token: FIRST_TOKEN})
    const seen = async () =>
      (await joining.certificateRequests('win-4', `system:bootstrap:${FIRST_TOKEN.split('.')[0]}`)).map(
        ({message, name, state}) => ({message, name, state}),
      )
    // The kubeconfig is there before its certificate, and nothing in it works yet.
    const isThere = await waitUntil('the kubeconfig', async () => existsSync(kubelet?.kubeconfig ?? '') || undefined)
    expect([isThere, existsSync(kubelet.certificate)]).toEqual([true, false])
    expect(await seen()).toEqual([{message: '', name: pending.name, state: 'pending'}])
    await plane.kubectl(['certificate', 'deny', pending.name])
    const again = await requestOf('win-4')
    expect(await seen()).toContainEqual({
      message: 'KubectlDeny: This CSR was denied by kubectl certificate deny.',
      name: pending.name,
      state: 'denied',
    })
    expect(again.name).not.toBe(pending.name)
    await plane.kubectl(['certificate', 'approve', again.name])
    expect((await certificateOf(kubelet)).subject).toContain('CN=system:node:win-4')
    const all = await signingRequests(plane)
    const conditions = [pending, again].map(({name}) => all.find((one) => one.name === name)?.conditions)
    expect(conditions).toEqual([
      [{reason: 'KubectlDeny', type: 'Denied'}],
      [{reason: 'KubectlApprove', type: 'Approved'}],
    ])
  } finally {
    const {metadata, ...rest} = binding as {metadata: {name: string}}
    await plane.do({body: {...rest, metadata: {name: metadata.name}}, method: 'POST', path: BINDINGS})
  }
})
