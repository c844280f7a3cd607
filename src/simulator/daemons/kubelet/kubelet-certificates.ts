// The kubelet's store of client certificates (client-go/util/certificate, certificate_store.go and certificate_manager.go,
// the same from 1.21 to 1.36).
import {createPrivateKey, X509Certificate} from 'node:crypto'
import {win32} from 'node:path'

import type {Stage} from '../../model.js'
import {remembered} from '../../../machine/remembered.js'
import {type ClientPair, readText as content} from '../kubeconfig.js'

/** Of --cert-dir by default. */
const FOLDER = String.raw`C:\var\lib\kubelet\pki`
const named = (end: string): string => win32.join(FOLDER, `kubelet-client${end}`)
/** The newest certificate with its key, by a link. */
export const CURRENT = named('-current.pem')
const UPDATED = named('-updated.pem')

/** A certificate with its key, or why the kubelet ends; neither if the store is empty. */
type Stored = {readonly error: string; readonly pem?: undefined} | {readonly error?: undefined; readonly pem?: string}

/** NewFileStore, then getCurrentCertificateOrBootstrap: why the kubelet ends, or undefined. */
export async function startCertificates(stage: Stage, own: ClientPair | undefined): Promise<string | undefined> {
  const unrecovered = await recoverStore(stage)
  if (unrecovered !== undefined) return `failed to initialize client certificate store: ${unrecovered}`
  const {error, pem} = await currentCertificate(stage, own)
  if (error !== undefined) return error
  if ((pem === undefined || isExpired(pem, stage.now())) && own?.isInline) await updateStore(stage, own)
  return undefined
}

/** The certificate that the kubelet uses in place of its kubeconfig's, or undefined. */
export async function shownCertificate(stage: Stage, own: ClientPair | undefined): Promise<string | undefined> {
  const {pem} = await currentCertificate(stage, own)
  return pem === undefined || isExpired(pem, stage.now()) ? undefined : pem
}

/** fileStore.recover: an update that was cut short is completed. */
export async function recoverStore({files}: Stage): Promise<string | undefined> {
  if ((await content(files, CURRENT)) !== undefined) return undefined
  const updated = await files.status(UPDATED)
  if (!updated) return undefined
  if (updated.kind !== 'link') return `expected ${JSON.stringify(UPDATED)} to be a symlink but it is a file`
  await files.rename(UPDATED, CURRENT)
  return undefined
}

/** fileStore.Current: the first of its three places that is not empty. */
async function currentCertificate({files}: Stage, own: ClientPair | undefined): Promise<Stored> {
  const current = await content(files, CURRENT)
  if (current !== undefined) {
    const problem = pairProblem(current)
    const whole = `could not convert data from ${JSON.stringify(CURRENT)} into cert/key pair: ${problem}`
    return problem === undefined ? {pem: current} : {error: whole}
  }

  // Files that the kubeconfig names are not stored.
  if (own && !own.isInline) return {}
  const [certificate, key] = [await content(files, named('.crt')), await content(files, named('.key'))]
  if (certificate === undefined || key === undefined) return {}
  const pem = `${certificate}\n${key}`
  const problem = pairProblem(pem)
  return problem === undefined ? {pem} : {error: problem}
}

/** fileStore.Update and updateSymlink. A file in the place of a link is an error that the kubelet only logs. */
export async function updateStore(stage: Stage, {cert, key}: Pick<ClientPair, 'cert' | 'key'>): Promise<void> {
  const {files, link} = stage
  const at = new Date(stage.now()).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')
  const newest = named(`-${at}.pem`)
  await files.makeDirectory(FOLDER)
  await files.write(newest, `${cert}${key}`)
  for (const path of [CURRENT, UPDATED]) {
    const there = await files.status(path)
    // Where the drive has no links, a copy stands for one.
    if (there && there.kind !== 'link' && link !== undefined) return
  }

  await files.remove(UPDATED)
  // A copy where there are no links (on a read-only host, and on a drive kept on Windows).
  if (!(await link?.(UPDATED, newest))) await files.write(UPDATED, `${cert}${key}`)
  await files.rename(UPDATED, CURRENT)
}

const pairProblem = remembered((pem): string | undefined => {
  try {
    const isPair = new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem))
    return isPair ? undefined : 'tls: private key does not match public key'
  } catch {
    return 'tls: failed to find any PEM data in certificate input'
  }
})

/** time.Now().Before(NotAfter) */
export const isExpired = (pem: string, now: number): boolean => endOf(pem) <= now
const endOf = remembered((pem) => Date.parse(new X509Certificate(pem).validTo))
