// The failures of this field that are known, put to the errors people get to see: the likely cause, and what helps.
import {KUBE_PROXY} from '../../components/kube-proxy.js'
import {KUBELET} from '../../components/kubelet.js'
import {layoutOf, SUBNET_ENV} from '../../config/layout.js'
import {dockerFailed, imageBroken, pullFailed} from '../../errors/bytes.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {hnsRefused} from '../../errors/windows.js'
import {lastLogLines} from '../../host/services/daemon-log.js'
import {FileError, type Files} from '../../machine/files.js'
import {type ComplainedFile, recognise, type Signature, type SignatureSource} from '../../signatures/index.js'

/** A daemon that dies says why in its last lines, but not always in the very last. */
const RECENT_LINES = 40
const TOLD_LINES = 3

export interface DaemonWords {
  readonly known?: Signature
  /** The last lines, for people. */
  readonly tail: string
}

/** What is known in words of a daemon on this host, and not over: old complaints stay in logs. */
export async function recogniseHere(
  files: Files,
  baseDir: string,
  text: string,
  source: SignatureSource,
): Promise<Signature | undefined> {
  const paths: Record<ComplainedFile, string> = {'cni.conf': layoutOf(baseDir).cniConfig, 'subnet.env': SUBNET_ENV}
  const there: ComplainedFile[] = []
  for (const [name, path] of Object.entries(paths) as [ComplainedFile, string][]) {
    // One that cannot be looked at does not prove a complaint wrong.
    if (await files.status(path).catch(() => undefined)) there.push(name)
  }

  return recognise(text, source, there)
}

export async function readDaemonWords(
  files: Files,
  baseDir: string,
  logs: string,
  source: SignatureSource,
): Promise<DaemonWords> {
  let lines: string[]
  try {
    lines = await lastLogLines(files, logs, RECENT_LINES)
  } catch (error) {
    // A log that cannot be read must not hide what is wrong with its daemon.
    if (error instanceof FileError) return {tail: `nothing that could be read (${error.code})`}
    throw error
  }

  const known = await recogniseHere(files, baseDir, lines.join('\n'), source)
  return {...(known && {known}), tail: lines.slice(-TOLD_LINES).join(' / ') || 'nothing'}
}

/** Who speaks in the log of a service of ours. */
export function speakerOf(service: string): SignatureSource {
  if (service === KUBELET) return 'kubelet'
  return service === KUBE_PROXY ? 'kube-proxy' : 'flanneld'
}

export function withKnown(error: K8sWinError, known: Signature | undefined): K8sWinError {
  if (!known || error.known !== undefined) return error
  const {reason} = error
  const cause = `${reason}${/[.!?]$/.test(reason) ? '' : '.'} This is known: ${known.cause}`
  const fix = `${known.fix} If that does not help: ${error.fix}`
  return error.with({cause, fix, known: known.id})
}

/** Errors whose cause has another's own words or codes in it. */
const SPEAKERS: Readonly<Record<string, SignatureSource>> = {
  [dockerFailed.id]: 'docker',
  [hnsRefused.id]: 'hns',
  [imageBroken.id]: 'docker',
  [pullFailed.id]: 'docker',
}

export function withKnownWords(error: K8sWinError): K8sWinError {
  const speaker = SPEAKERS[error.id]
  return speaker === undefined ? error : withKnown(error, recognise(error.reason, speaker))
}
