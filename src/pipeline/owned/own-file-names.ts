// Which files are k8s-win's by their names: logs and records, which share their folders with files that k8s-win did not create, and
// what a killed run leaves of a file that it was writing.
import {win32} from 'node:path'
import {DAEMONS, SERVED} from '../../config/daemons.js'
import {layoutOf} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {placesOf} from '../../config/places.js'
import {keyOf, setOf} from '../../host/security/known-paths.js'
import {isPlainPath} from '../../host/security/security.js'
import {isRunnerLog, klogName} from '../../logs/file-names.js'
import type {Files} from '../../machine/files.js'
import {TEMPORARY} from '../desired/files/remove-path.js'
import {damagedCopy} from '../ledger/journal-format.js'
import {filesOf} from '../desired/files/file.js'
import {isDownloadName} from '../desired/programs/download.js'

const OF_PROGRAM = `^(?:${DAEMONS.map(({program}) => program).join('|')})(?:\\.exe)?`
const PROGRAM = new RegExp(String.raw`${OF_PROGRAM}(?:\.|$)`, 'i')
/** klog's link to the newest of its files. */
const KLOG_LINK = new RegExp(String.raw`${OF_PROGRAM}\.(?:INFO|WARNING|ERROR|FATAL)$`, 'i')
const SHAWL_NAME = new RegExp(String.raw`^shawl_for_(?:${SERVED.map(({service}) => service).join('|')})_.*\.log$`, 'i')
/** Every command that has a log, as `logName` names it. */
const RUN_LOG =
  /^(?:recover|reset|restart|run|setup|start|stop|upgrade|verify|watch(?:-service)?)-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.(?:html|log(?:\.trace)?)$/i
const RECORD_PATHS = placesOf('C:').flatMap(({inside, kind, path}) =>
  inside === 'state' && kind === 'file' ? [path] : [],
)
const RECORDS = setOf([...RECORD_PATHS, damagedCopy(layoutOf('C:').journal)].map((path) => win32.basename(path)))

export const isDaemonLog = (name: string): boolean =>
  SHAWL_NAME.test(name) || isRunnerLog(name) || KLOG_LINK.test(name) || PROGRAM.test(klogName(name)?.program ?? '')

/** Also the page that `report` writes beside it, and what shawl writes there for the watch. */
export const isRunLog = (name: string): boolean => RUN_LOG.test(name) || SHAWL_NAME.test(name)

/** Also a temporary file of an interrupted write. */
export const isRecord = (name: string): boolean => RECORDS.has(name.toLowerCase().replace(TEMPORARY, ''))

export interface SortedFolder {
  readonly others: readonly string[]
  /** Paths. Never a folder, whatever its name. */
  readonly own: readonly string[]
}

/** Both are empty where it is not a folder: nothing behind a link is read. */
export async function sortOut(files: Files, folder: string, isOurs: (name: string) => boolean): Promise<SortedFolder> {
  const others: string[] = []
  const own: string[] = []
  if ((await files.status(folder))?.kind !== 'directory') return {others, own}
  for (const name of await files.list(folder)) {
    const path = win32.join(folder, name)
    if (isOurs(name) && (await files.status(path))?.kind !== 'directory') own.push(path)
    else others.push(name)
  }

  return {others, own}
}

/** Also an empty folder, which an unfinished reset leaves, or a run that ended before its log was there. */
export async function hasRecords(files: Files, baseDir: string): Promise<boolean> {
  const {logs, state} = layoutOf(baseDir)
  const folders = [
    [state, isRecord],
    [win32.join(logs, 'k8s-win'), isRunLog],
    [logs, () => false],
  ] as const
  for (const [folder, isOurs] of folders) {
    if (!(await files.status(folder))) continue
    const {others, own} = await sortOut(files, folder, isOurs)
    if (own.length > 0 || others.length === 0) return true
  }

  return false
}

/** How the name of an unfinished download ends (src/machine/real/http-download.ts). */
const PARTIAL = /\.partial$/i

/**
 * Paths of temporary files of atomic writes (src/machine/real/files.ts) and of unfinished downloads. They may hold
 * keys, so the next setup removes them: only those of files that setup itself writes, and only where no link is on the
 * way.
 */
export async function findKilledWrites(files: Files, config: Decided): Promise<string[]> {
  const found: string[] = []
  for (const [folder, isOurs] of writtenFolders(config)) {
    if (!(await isPlainPath(files, folder))) continue
    for (const name of await files.list(folder)) {
      const path = win32.join(folder, name)
      if (isOurs(name) && (await files.status(path))?.kind === 'file') found.push(path)
    }
  }

  return found
}

type IsOurs = (name: string) => boolean

/** Folders, with a test of the names in each of them. */
function writtenFolders(config: Decided): ReadonlyMap<string, IsOurs> {
  const {downloads, state} = layoutOf(config.baseDir)
  const written = new Set([...filesOf(config).keys()].map(String))
  const isTemporaryOf =
    (isTarget: IsOurs): IsOurs =>
    (name) =>
      TEMPORARY.test(name) && isTarget(name.replace(TEMPORARY, ''))
  const inFolder = (folder: string): IsOurs => isTemporaryOf((target) => written.has(keyOf(win32.join(folder, target))))
  const isDownload: IsOurs = (name) =>
    PARTIAL.test(name) ? isDownloadName(name.replace(PARTIAL, '')) : isTemporaryOf(isDownloadName)(name)
  return new Map([
    ...[...written].map((path) => [win32.dirname(path), inFolder(win32.dirname(path))] as const),
    [keyOf(state), isTemporaryOf(isRecord)],
    [keyOf(downloads), isDownload],
  ])
}
