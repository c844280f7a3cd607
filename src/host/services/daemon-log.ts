// Why a daemon died: the end of its newest log.
import type {Files} from '../../machine/files.js'

/** Logs grow to gigabytes; a fatal line with the stacks of all goroutines after it fits into this. */
const LAST_BYTES = 1024 ** 2
/** As much of a line as anybody reads, and known failures are recognised by. */
const LONGEST_LINE = 4096

/** The last lines of the newest log in a folder: why a daemon died. */
export async function lastLogLines(files: Files, folder: string, count = 3): Promise<string[]> {
  let newest: {at: number; path: string; size: number} | undefined
  for (const name of await files.list(folder)) {
    const path = `${folder}\\${name}`
    const status = await files.status(path)
    if (status?.kind === 'file' && status.size > 0 && status.modifiedMs >= (newest?.at ?? 0)) {
      newest = {at: status.modifiedMs, path, size: status.size}
    }
  }

  const start = Math.max(0, (newest?.size ?? 0) - LAST_BYTES)
  const bytes = newest && (await files.readRange(newest.path, start, LAST_BYTES))?.bytes
  const lines = Buffer.from(bytes ?? [])
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.slice(0, LONGEST_LINE))
  return withoutStacks(lines)
    .filter((line) => line.trim() !== '')
    .slice(-count)
}

/** Go shows the stacks of all goroutines after its last words, and klog does so after a fatal line: up to its next one. */
function withoutStacks(lines: readonly string[]): string[] {
  let isStack = false
  return lines.filter((line) => {
    if (/^[DEFIW]\d{4} /.test(line)) isStack = false
    else if (/^goroutine \d{1,20} \[[^\]]{1,200}\]:$/.test(line)) isStack = true
    return !isStack
  })
}
