// A kubeconfig on disk, or one that was fetched: judged with every file and program it names before any of it is used, then read.
import type {FetchedKubeconfig} from '../../config/model.js'
import {kubeconfigMissing, kubeconfigUnreadable} from '../../errors/cluster.js'
import {kubeconfigUntrusted} from '../../errors/folders.js'
import {K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {FileError, type Files} from '../../machine/files.js'
import {type Trust, trustedFiles} from '../security/trust.js'
import {type Kubeconfig, readKubeconfig} from './kubeconfig.js'

/** `flag`: the option that names it. */
export async function kubeconfigAt(
  {files, trust}: {readonly files: Files; readonly trust: Trust},
  from: FetchedKubeconfig | string,
  flag = 'kubeconfig',
): Promise<Kubeconfig> {
  const [path, place] = typeof from === 'string' ? [from, from] : [from.source, from.path]
  const demand: Trust['demand'] = (named, use) =>
    trust.demand(named, use).catch((error: unknown) => {
      if (!(error instanceof K8sWinError)) throw error
      const {fix: advice, message, reason} = error
      throw kubeconfigUntrusted({advice, kubeconfig: path, problem: message, reason})
    })

  const trusted = trustedFiles(files, {demand})
  const read = (file: string): Promise<Buffer | undefined> => readUserFile(trusted, file)
  try {
    const content = typeof from === 'string' ? await read(path) : Buffer.from(from.text)
    if (!content) throw kubeconfigMissing({flag, path})
    const kubeconfig = await readKubeconfig(place, content, read)
    const {exec} = kubeconfig
    // A bare name is not searched for (exec-plugin.ts).
    if (exec && /[/\\]/.test(exec.command)) await demand(exec.command, 'program')
    return kubeconfig
  } catch (error) {
    // Its reader says in a sentence what is wrong with it; a bug is not reported as its problem.
    if (!(error instanceof FileError || error instanceof UnusableFileError)) throw error
    throw kubeconfigUnreadable({path, reason: error.message}, {cause: error})
  }
}

const LARGEST = 1024 ** 2

/** Undefined where there is no such file. Throws an Error that says in a sentence why it cannot be one of these. */
export async function readUserFile(
  files: Pick<Files, 'readChunks' | 'status'>,
  path: string,
  largest = LARGEST,
): Promise<Buffer | undefined> {
  const status = await files.status(path)
  if (!status) return undefined
  if (status.kind === 'directory') throw new UnusableFileError('it is a folder')
  // A pipe without a writer would keep the thread that opens it, and so the process. What a shell opened for this process
  // ("-", <(...)) has one: it is a link, or on macOS below /dev.
  if (status.kind === 'other' && !path.startsWith('/dev/')) throw new UnusableFileError('it is not a regular file')
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of files.readChunks(path)) {
    bytes += chunk.length
    if (bytes > largest)
      throw new UnusableFileError(`it has more than ${largest < LARGEST ? `${largest / 1024} KiB` : '1 MiB'}`)
    chunks.push(chunk)
  }

  return Buffer.concat(chunks)
}
