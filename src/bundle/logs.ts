// The logs of the daemons and of k8s-win's own runs: the newest first, each component with its share of the room.
import {win32} from 'node:path'
import {DAEMONS} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {trustedLogs} from '../host/services/daemon-log.js'
import type {Files} from '../machine/files.js'
import {type Collector, type Entry, type LeftOut, reasonOf} from './collector.js'
import {readEnd} from './readers.js'

const LOG_FOLDERS = [...DAEMONS.flatMap(({formerNames, service}) => [service, ...formerNames]), 'k8s-win']

const LARGEST_FILE = 4 * 1024 ** 2

interface LogFile {
  readonly modifiedMs: number
  readonly name: string
  readonly path: string
  readonly size: number
}

export const logCollector: Collector = {
  async collect({config, host, logBytes}) {
    const entries: Entry[] = []
    const leftOut: LeftOut[] = []
    const untrusted = (reason: string): void =>
      void leftOut.push({bytes: 0, path: layoutOf(config.baseDir).logs, reason})
    const files = trustedLogs(host.files, host.trust, untrusted)
    const folders = await Promise.all(LOG_FOLDERS.map((name) => logFiles(files, layoutOf(config.baseDir).logs, name)))
    const bySize = LOG_FOLDERS.map((name, index) => ({files: folders[index] ?? [], name}))
      .filter(({files: found}) => found.length > 0)
      .sort((one, other) => sizeOf(one.files) - sizeOf(other.files))
    let left = logBytes
    for (const [index, folder] of bySize.entries()) {
      // What small logs leave over is for the large ones.
      let share = Math.floor(left / (bySize.length - index))
      for (const file of folder.files) {
        const most = Math.min(share, LARGEST_FILE)
        const {entry, missed} = await take(files, file, `logs/${folder.name}`, most)
        if (missed) leftOut.push(missed)
        if (!entry) continue
        entries.push(entry)
        const taken = Math.min(file.size, most)
        share -= taken
        left -= taken
      }
    }

    return {entries, leftOut}
  },
  id: 'logs',
}

/** A file that is locked, or was removed, costs only itself. */
async function take(
  files: Files,
  {name, path, size}: LogFile,
  folder: string,
  most: number,
): Promise<{entry?: Entry; missed?: LeftOut}> {
  if (most === 0) return {missed: {bytes: size, path, reason: 'no space left; newer logs take precedence'}}
  try {
    const end = await readEnd(files, path, most)
    if (!end) return {missed: {bytes: size, path, reason: 'it was removed before it could be read'}}
    if (end.text === '' && end.cutBytes > 0) return {missed: {bytes: size, path, reason: 'it has no line that fits'}}
    const cut = end.cutBytes === 0 ? {} : {cut: `the first ${end.cutBytes} of ${size} bytes`}
    return {entry: {content: {text: end.text}, path: `${folder}/${name}`, ...cut}}
  } catch (error) {
    return {missed: {bytes: size, path, reason: reasonOf(error)}}
  }
}

/** The newest first. Only plain files: a link may lead anywhere. */
async function logFiles(files: Files, logs: string, name: string): Promise<LogFile[]> {
  const folder = win32.join(logs, name)
  const found = await Promise.all(
    (await files.list(folder)).map(async (file) => {
      const path = win32.join(folder, file)
      const status = await files.status(path)
      return status?.kind === 'file' && status.size > 0 ? [{...status, name: file, path}] : []
    }),
  )
  // Traces last: what people read is never left out for them.
  const isTrace = (file: LogFile): number => Number(file.name.endsWith('.trace'))
  return found.flat().sort((one, other) => isTrace(one) - isTrace(other) || other.modifiedMs - one.modifiedMs)
}

const sizeOf = (found: readonly LogFile[]): number => found.reduce((sum, {size}) => sum + size, 0)
