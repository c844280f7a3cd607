// Adds known failures to errors: the likely cause, and a fix.
import {type Daemon, logsOf} from '../../config/daemons.js'
import {conflistOf, layoutOf, SUBNET_ENV} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {containerdFailed, dockerFailed, imageBroken, pullFailed} from '../../errors/downloads-and-images.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {hnsRefused} from '../../errors/windows.js'
import {RUNTIME_TITLES} from '../../host/runtime.js'
import {lastLogLines} from '../../host/services/daemon-log.js'
import {FileError, type Files} from '../../machine/files.js'
import {
  type ComplainedFile,
  recognise,
  recogniseAll,
  type Signature,
  type SignatureSource,
} from '../../signatures/index.js'

/** A daemon that ends says why in its last lines, but not always in the very last one. */
const RECENT_LINES = 40
const TOLD_LINES = 3

type NodePaths = Pick<Decided, 'baseDir' | 'containerd'>

export interface DaemonWords {
  readonly known?: Signature
  /** The folder of its logs. */
  readonly logs: string
  readonly tail: string
}

/** Why a daemon ended or is unhealthy: the kubelet logs every pod whose image cannot be pulled, and works. */
export const isOfDaemon = ({ofPods}: Signature): boolean => !ofPods

/** The known failure in a daemon's words, unless it is over: old messages stay in logs. */
export async function recogniseHere(
  files: Files,
  config: NodePaths,
  text: string,
  source: SignatureSource,
  counts: (known: Signature) => boolean = () => true,
): Promise<Signature | undefined> {
  const paths: Record<ComplainedFile, string> = {
    '10-flannel.conflist': conflistOf(config.containerd),
    'cni.conf': layoutOf(config.baseDir).cniConfig,
    'subnet.env': SUBNET_ENV,
  }
  const there: ComplainedFile[] = []
  for (const [name, path] of Object.entries(paths) as [ComplainedFile, string][]) {
    // A file that cannot be read does not prove a message wrong.
    if (await files.status(path).catch(() => undefined)) there.push(name)
  }

  return recogniseAll(text, source, there).find(counts)
}

export async function readDaemonWords(
  {config, host: {files}}: {readonly config: NodePaths; readonly host: {readonly files: Files}},
  daemon: Daemon,
): Promise<DaemonWords> {
  const logs = logsOf(config, daemon)
  let lines: string[]
  try {
    lines = await lastLogLines(files, logs, RECENT_LINES)
  } catch (error) {
    // An unreadable log must not hide the daemon's problem.
    if (error instanceof FileError) return {logs, tail: `nothing that could be read (${error.code})`}
    throw error
  }

  const known = await recogniseHere(files, config, lines.join('\n'), daemon.program, isOfDaemon)
  return {...(known && {known}), logs, tail: lines.slice(-TOLD_LINES).join(' / ') || 'nothing'}
}

export function withKnown(error: K8sWinError, known: Signature | undefined): K8sWinError {
  if (!known || error.known !== undefined) return error
  const {reason} = error
  const cause = `${reason}${/[.!?]$/.test(reason) ? '' : '.'} This is known: ${known.cause}`
  const fix = `${known.fix} If that does not help: ${error.fix}`
  return error.with({cause, fix, known: known.id})
}

/** Errors whose cause contains words or codes of another program. */
const SPEAKERS: Readonly<Record<string, SignatureSource>> = {
  [containerdFailed.id]: 'containerd',
  [dockerFailed.id]: 'docker',
  [hnsRefused.id]: 'hns',
  [imageBroken.id]: 'docker',
  [pullFailed.id]: 'docker',
}

export function withKnownWords(error: K8sWinError): K8sWinError {
  // The same failure of either runtime begins with its name.
  const speaker = error.reason.startsWith(`${RUNTIME_TITLES.containerd} said: `) ? 'containerd' : SPEAKERS[error.id]
  return speaker === undefined ? error : withKnown(error, recognise(error.reason, speaker))
}
