// What the last run recorded about itself, and whether the options of the last setup are lost, because its node.yaml is
// gone.
import {layoutOf} from '../../config/layout.js'
import {KUBELET} from '../../config/model.js'
import {decodeText} from '../../config/yaml.js'
import {nodeOptionsLost} from '../../errors/configuration.js'
import {K8sWinError, UnusableFileError} from '../../errors/k8s-win-error.js'
import {readUserFile} from '../../host/cluster/kubeconfig-file.js'
import {at, listAt, parseJson, textAt} from '../../host/document.js'
import type {Host} from '../../host/host.js'
import {ADMINISTRATORS_ONLY_FILE} from '../../host/security/security.js'
import {trustedFiles} from '../../host/security/trust.js'
import {FileError, type Files} from '../../machine/files.js'
import type {Journal} from '../ledger/journal.js'
import {servicesHere} from '../desired/services/own-services.js'

type OnFailure = (error: unknown) => undefined

/** What is not to be trusted, or cannot be a record, counts as none. One that is in use may be anything. */
export const unlessUnreadable: OnFailure = (error) => {
  if (error instanceof K8sWinError || error instanceof UnusableFileError) return undefined
  if (error instanceof FileError && error.code === 'ENOENT') return undefined
  throw error
}

const asNone: OnFailure = () => undefined

/** Undefined where it does not exist or, unless `onFailure` throws, cannot be read. */
export async function readRecord(files: Files, path: string, onFailure = asNone): Promise<unknown> {
  const content = await readUserFile(files, path).catch(onFailure)
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
export async function readLastRun(files: Files, path: string, onFailure = asNone): Promise<unknown> {
  const last = await readRecord(files, path, onFailure)
  return keepsLastRun(last) ? at(last, 'lastRun') : last
}

/** An upgrade is a setup with another release, and recover one of the steps that are wrong. */
export const isSetup = (last: unknown): boolean => ['recover', 'setup', 'upgrade'].includes(textAt(last, 'command'))

/** It continues as a service, which has not reported its end yet. */
export const isHandedOver = (last: unknown): boolean => textAt(last, 'outcome') === 'detached'

/** It has stored its options: if they are missing, they were removed. */
export function isEndedSetup(last: unknown): boolean {
  if (!isSetup(last) || isHandedOver(last)) return false
  // Of a node that is set up only.
  if (textAt(last, 'command') === 'recover') return true
  // A run that was refused because they are gone did not change the node.
  const errors = [at(last, 'error'), ...listAt(last, 'errors')].map((error) => textAt(error, 'id'))
  return at(last, 'exitCode') === 0 || errors.includes(nodeOptionsLost.id)
}

/** False for an unfinished setup, which has stored nothing and is to be resumed. */
export async function areOptionsLost(
  host: Pick<Host, 'files' | 'services' | 'trust'>,
  baseDir: string,
  journal: Pick<Journal, 'all'>,
): Promise<boolean> {
  const {nodeConfig, result} = layoutOf(baseDir)
  try {
    if (await host.files.status(nodeConfig)) return false
  } catch (error) {
    // Missing administrator rights are reported by another check.
    if (error instanceof FileError) return false
    throw error
  }
  if (!(await servicesHere(host, baseDir)).includes(KUBELET)) return false
  return journal.all().length === 0 || isEndedSetup(await readLastRun(trustedFiles(host.files, host.trust), result))
}
