// What the last run recorded about itself, for reports: the state of a node is in its journal only.
import {decodeText} from '../../config/yaml.js'
import {K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {at, parseJson, textAt} from '../../host/document.js'
import {ADMINISTRATORS_ONLY_FILE} from '../../host/security/security.js'
import {FileError, type Files} from '../../machine/files.js'

/** What is not to be trusted, or cannot be a record, counts as none. One that is in use may be anything. */
function unlessUnreadable(error: unknown): undefined {
  if (error instanceof K8sWinError || error instanceof UnusableFileError) return undefined
  if (error instanceof FileError && error.code === 'ENOENT') return undefined
  throw error
}

/** Undefined where it does not exist, or cannot be read. */
export async function readRecord(files: Files, path: string): Promise<unknown> {
  const content = await readUserFile(files, path).catch(() => undefined)
  return content && parseJson(content.toString('utf8'))
}

/** One that only administrators can write. Where it is damaged, `understood` is called without it. */
export async function readOwnRecord<T>(
  files: Files,
  path: string,
  understood: (record: unknown) => T,
): Promise<T | undefined> {
  try {
    const content = await readUserFile(files, path)
    return content && understood(parseJson(decodeText(content)))
  } catch (error) {
    return error instanceof UnusableFileError ? understood(undefined) : unlessUnreadable(error)
  }
}

/** Into a folder that is there, and that only administrators can change. */
export const writeRecord = (files: Pick<Files, 'write'>, path: string, record: object): Promise<void> =>
  files.write(path, `${JSON.stringify(record, undefined, 2)}\n`, {sddl: ADMINISTRATORS_ONLY_FILE})

/** They leave the node as setup made it, so they keep the document of the last setup, upgrade or reset in their own. */
export const keepsLastRun = (result: unknown): boolean =>
  ['restart', 'run', 'start', 'stop', 'verify'].includes(textAt(result, 'command'))

/** The document of the last setup, upgrade or reset. */
export async function readLastRun(files: Files, path: string): Promise<unknown> {
  const last = await readRecord(files, path)
  return keepsLastRun(last) ? at(last, 'lastRun') : last
}

/** It continues as a service, which has not reported its end yet. */
export const isHandedOver = (last: unknown): boolean => textAt(last, 'outcome') === 'detached'
