// A node's client certificate, asked for as its kubelet does (client-go util/certificate/csr, RequestCertificate).
import {execFile} from 'node:child_process'
import {generateKeyPairSync} from 'node:crypto'
import {rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {at, listAt, parseJson, textAt} from '../../src/host/document.js'
import {type Caller, type ControlPlane, waitUntil} from './control-plane.js'

export const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet'

export interface SigningRequest {
  /** "AutoApproved", "KubectlApprove", "KubectlDeny". */
  readonly conditions: readonly {readonly reason: string; readonly type: string}[]
  readonly groups: readonly string[]
  readonly hasCertificate: boolean
  readonly name: string
  readonly signer: string
  readonly username: string
}

/** PEM, as `POST` takes it, and the key that it is for. */
export async function makeRequest(
  plane: Pick<ControlPlane, 'folder'>,
  subject: string,
): Promise<{key: string; request: string}> {
  const {privateKey: key} = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: {format: 'pem', type: 'sec1'},
    publicKeyEncoding: {format: 'pem', type: 'spki'},
  })
  const file = path.join(plane.folder, 'request.key')
  await writeFile(file, key, {mode: 0o600})
  try {
    const {stdout} = await promisify(execFile)('openssl', ['req', '-new', '-sha256', '-key', file, '-subj', subject])
    return {key, request: stdout}
  } finally {
    await rm(file)
  }
}

export const signingRequest = (request: string): object => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: {generateName: 'csr-'},
  spec: {
    request: Buffer.from(request).toString('base64'),
    signerName: SIGNER,
    // Up to 1.26 the approver wants all three, also for a key that is not RSA (pkg/apis/certificates/helpers.go).
    usages: ['digital signature', 'key encipherment', 'client auth'],
  },
})

/** Approved and signed by kube-controller-manager. */
export async function nodeIdentity(
  plane: ControlPlane,
  node: string,
  as: Caller,
): Promise<Required<Pick<Caller, 'cert' | 'key'>>> {
  const {key, request} = await makeRequest(plane, `/O=system:nodes/CN=system:node:${node}`)
  const made = await plane.ask({as, body: signingRequest(request), method: 'POST', path: REQUESTS})
  const name = textAt(parseJson(made.body.toString('utf8')), 'metadata', 'name')
  if (made.status !== 201) throw new Error(`POST ${REQUESTS}: ${made.status} ${made.body.toString('utf8')}`)
  const cert = await waitUntil(`the certificate of ${name}`, async () => {
    const {body} = await plane.ask({as, path: `${REQUESTS}/${name}`})
    return textAt(parseJson(body.toString('utf8')), 'status', 'certificate') || undefined
  })
  return {cert: Buffer.from(cert, 'base64').toString('utf8'), key}
}

export async function signingRequests(plane: ControlPlane): Promise<SigningRequest[]> {
  return listAt(await plane.do({path: REQUESTS}), 'items').map((item) => ({
    conditions: listAt(item, 'status', 'conditions').map((condition) => ({
      reason: textAt(condition, 'reason'),
      type: textAt(condition, 'type'),
    })),
    groups: listAt(item, 'spec', 'groups').map(String),
    hasCertificate: at(item, 'status', 'certificate') !== undefined,
    name: textAt(item, 'metadata', 'name'),
    signer: textAt(item, 'spec', 'signerName'),
    username: textAt(item, 'spec', 'username'),
  }))
}
