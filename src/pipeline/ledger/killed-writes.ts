// What a run that was killed leaves of the files it was just writing: temporary files of atomic writes beside their
// targets (src/machine/real/atomic-write.ts), and unfinished downloads. The next setup removes them: they may hold keys.
import {win32} from 'node:path'
import {layoutOf} from '../../config/layout.js'
import type {SetupConfig} from '../../config/model.js'
import {keyOf} from '../../host/security/known-paths.js'
import {isPlainPath} from '../../host/security/plain-path.js'
import type {Files} from '../../machine/files.js'
import {TEMPORARY} from '../desired/file.js'
import {filesOf, isDownloadName} from './kinds/file.js'
import {isRecord} from './own-file-names.js'

/** How the name of a file ends that is being downloaded (src/machine/real/http-download.ts). */
const PARTIAL = /\.partial$/i

/** Paths. Only of files that setup itself writes, only files, and only where no link is on the way. */
export async function findKilledWrites(files: Files, config: SetupConfig): Promise<string[]> {
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

/** With what a name in each of them must be. */
function writtenFolders(config: SetupConfig): ReadonlyMap<string, IsOurs> {
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
