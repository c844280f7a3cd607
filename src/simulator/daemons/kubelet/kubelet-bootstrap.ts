// A kubelet without a certificate: with a bootstrap kubeconfig it requests one (pkg/kubelet/certificate/bootstrap/bootstrap.go,
// the same from 1.21 to 1.36).
import {createHash, createPrivateKey, createPublicKey, generateKeyPairSync} from 'node:crypto'
import {win32} from 'node:path'

import {kubeconfigText} from '../../cluster/kubeconfig.js'
import {createRequest, CSR_RESOURCE, KUBELET_CLIENT} from '../../cluster/signing-requests.js'
import type {SigningRequest} from '../../cluster/state.js'
import {makeRequest} from '../../cluster/x509.js'
import {remembered} from '../../../machine/remembered.js'
import type {Stage} from '../../model.js'
import {type ClusterClient, openKubeconfig, readText} from '../kubeconfig.js'
import {CURRENT, FOLDER, isExpired, recoverStore, updateStore} from './kubelet-certificates.js'
import type {Kubelet} from './kubelet-start.js'

/** requestNodeCertificate waits for an hour, and waitForServer for a minute before. */
const WAIT_MS = 3_600_000
const SERVER_MS = 60_000
const KEY_FILE = win32.join(FOLDER, 'kubelet-client.key.tmp')

/** LoadClientConfig, for a kubelet that rotates: why it ends, or undefined. The kubeconfig is written before there is a certificate. */
export async function loadClientConfig(self: Kubelet): Promise<string | undefined> {
  const {bootstrapKubeconfig, kubeconfig, log, stage} = self
  await log('I', 'server.go:1037', 'Client rotation is on, will bootstrap in background', {})
  if ((await recoverStore(stage)) !== undefined) return 'unable to build bootstrap cert store'
  if (await isStillValid(self)) return undefined
  const client = await openKubeconfig(self, bootstrapKubeconfig)
  if (client.error !== undefined) return `unable to load bootstrap kubeconfig: ${client.error}`
  await writeKubeconfig(self, kubeconfig, client)
  const message = 'Use the bootstrap credentials to request a cert, and set kubeconfig to point to the certificate dir'
  await log('I', 'bootstrap.go:101', message, {})
  return undefined
}

/** LoadClientCert, for a kubelet that does not rotate, which waits for its certificate since the given moment. */
export async function loadClientCertificate(
  self: Kubelet,
  since: number,
): Promise<'waiting' | {readonly problem: string} | undefined> {
  const {bootstrapKubeconfig, kubeconfig, log, nodeName, stage} = self
  if (await isStillValid(self)) return undefined
  const client = await openKubeconfig(self, bootstrapKubeconfig)
  if (client.error !== undefined) return {problem: `unable to load bootstrap kubeconfig: ${client.error}`}
  const key = (await currentKey(stage)) ?? (await cachedKey(stage))
  const unreached = client.problem('create', CSR_RESOURCE)
  const waited = stage.now() - since
  if (unreached?.includes('dial tcp') && waited < SERVER_MS) return 'waiting'
  if (unreached !== undefined) return {problem: `cannot create certificate signing request: ${unreached}`}
  const name = digestedName(key, nodeName)
  const {cluster} = stage.world
  const request = findRequest(stage, name) ?? postRequest(self, client, key, name)
  const ended = request && endOf(request)
  if (ended !== undefined) return {problem: `cannot watch on the certificate signing request: ${ended}`}
  const certificate = request?.certificate
  if (certificate === undefined) {
    return waited < WAIT_MS || cluster.elsewhere ? 'waiting' : {problem: 'timed out waiting for the condition'}
  }

  await log('I', 'csr.go:261', 'certificate signing request is issued', {csr: name})
  await updateStore(stage, {cert: certificate, key})
  await stage.files.remove(KEY_FILE)
  await writeKubeconfig(self, kubeconfig, client)
  return undefined
}

/** isClientConfigStillValid. A kubeconfig with a token only is not, either. */
async function isStillValid(self: Kubelet): Promise<boolean> {
  const {kubeconfig, log, stage} = self
  if (!(await stage.files.status(kubeconfig))) return false
  const {error, pair} = await openKubeconfig(self, kubeconfig)
  if (error !== undefined) {
    const err = `unable to read existing bootstrap client config from ${kubeconfig}: ${error}`
    await log('E', 'bootstrap.go:266', 'Unhandled Error', {err})
    return false
  }

  if (!pair) return false
  try {
    if (!isExpired(pair.cert, stage.now())) return true
  } catch {
    return false
  }

  const err = `part of the existing bootstrap client certificate in ${kubeconfig} is expired`
  await log('E', 'bootstrap.go:266', 'Unhandled Error', {err})
  return false
}

/** writeKubeconfigFromBootstrapping, in the words of clientcmd. */
async function writeKubeconfig(
  {stage, version}: Pick<Kubelet, 'stage' | 'version'>,
  path: string,
  {authority, server}: ClusterClient,
): Promise<void> {
  const {data, file} = authority
  const ca = file ? {'certificate-authority': file} : data ? {'certificate-authority-data': data} : {}
  const user = {'client-certificate': CURRENT, 'client-key': CURRENT}
  const text = kubeconfigText(version.text, {...ca, server}, user)
  await stage.files.makeDirectory(win32.dirname(path))
  await stage.files.write(path, text)
}

/** Makes a request with this identity; undefined if one of the name exists. */
export function postRequest(
  {nodeName, stage, version}: Kubelet,
  client: ClusterClient,
  key: string,
  name = '',
): SigningRequest | undefined {
  const {cluster} = stage.world
  const subject = {commonName: `system:node:${nodeName}`, organizations: ['system:nodes']}
  // Until 1.26 the certificate manager asks for the usages of RSA keys, whatever its key (pkg/kubelet/certificate/kubelet.go).
  const isOld = name === '' && version.minor < 27
  const usages = ['digital signature', ...(isOld ? ['key encipherment'] : []), 'client auth']
  const wanted = {name, request: makeRequest(key, subject), signerName: KUBELET_CLIENT, usages}
  return createRequest(cluster, client.identity(), wanted, stage.now() + (cluster.clockAheadMs ?? 0))
}

export const findRequest = ({world}: Stage, name: string): SigningRequest | undefined =>
  world.cluster.certificateSigningRequests?.find((one) => one.name === name)

/** csr.go, WaitForCertificate: why there will be no certificate, or undefined. */
export function endOf({conditions = []}: SigningRequest): string | undefined {
  for (const {message, reason, type} of conditions) {
    if (type === 'Denied') return `certificate signing request is denied, reason: ${reason}, message: ${message}`
    if (type === 'Failed') return `certificate signing request failed, reason: ${reason}, message: ${message}`
  }

  return undefined
}

export const makeKey = (): string =>
  generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey.export({format: 'pem', type: 'sec1'}) as string

/** The key of the newest certificate, also of an expired one. */
async function currentKey({files}: Stage): Promise<string | undefined> {
  try {
    const pem = await readText(files, CURRENT)
    return pem === undefined ? undefined : (createPrivateKey(pem).export({format: 'pem', type: 'sec1'}) as string)
  } catch {
    return undefined
  }
}

/** Kept until there is a certificate for it, so that a kubelet that starts again finds its request. */
async function cachedKey({files}: Stage): Promise<string> {
  const cached = await readText(files, KEY_FILE)
  if (cached !== undefined) return cached
  const key = makeKey()
  await files.makeDirectory(FOLDER)
  await files.write(KEY_FILE, key)
  return key
}

/** Of a key and the name of a node. */
const digestedName = (key: string, nodeName: string): string => digest(`${nodeName}\n${key}`)
const digest = remembered((text): string => {
  const [, nodeName = '', key = ''] = /^(.*?)\n(.*)$/s.exec(text) ?? []
  const parts = [
    createPublicKey(key).export({format: 'der', type: 'spki'}),
    ...[`system:node:${nodeName}`, 'system:nodes', 'digital signature', 'client auth'].map((part) => Buffer.from(part)),
  ]
  const hash = createHash('sha512-256')
  for (const part of parts) hash.update(`${part.toString('base64url')}|`)
  return `node-csr-${hash.digest('base64url')}`
})
