// Why a daemon died: the end of its newest log.
import type {Files} from '../machine/files.js'

/** The last lines of the newest log in a folder: why a daemon died. */
export async function lastLogLines(files: Files, folder: string, count = 3): Promise<string[]> {
  let newest: {at: number; path: string} | undefined
  for (const name of await files.list(folder)) {
    const path = `${folder}\\${name}`
    const status = await files.status(path)
    if (status?.kind === 'file' && status.size > 0 && status.modifiedMs >= (newest?.at ?? 0)) {
      newest = {at: status.modifiedMs, path}
    }
  }

  const text = newest ? ((await files.read(newest.path))?.toString('utf8') ?? '') : ''
  return withoutStacks(text)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(-count)
}

/** Go shows the stacks of all goroutines after its last words, and klog does so after a fatal line. */
function withoutStacks(text: string): string {
  return text.replaceAll(/^goroutine \d+ \[[^\]\n]+\]:\r?\n(?:(?![DEFIW]\d{4} )[^\n]*\n?)*/gm, '')
}
