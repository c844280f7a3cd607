// A service's ImagePath: its program and argv.
import {win32} from 'node:path'

import {FileError, type Files} from '../../machine/files.js'
import {splitCommandLine} from '../../machine/command-line.js'

export interface CommandLine {
  readonly args: readonly string[]
  readonly program: string
}

/**
 * As CreateProcess looks for the program: a quoted path is taken as it is; in an unquoted one every blank may be the
 * end, so "C:\Program Files\x.exe" is first tried as C:\Program.exe. Undefined where there is none.
 */
export async function resolveCommandLine(files: Files, line: string): Promise<CommandLine | undefined> {
  const text = line.trimStart()
  const words = splitCommandLine(text)
  if (text.startsWith('"')) {
    const program = await existing(files, words[0] ?? '')
    return program === undefined ? undefined : {args: words.slice(1), program}
  }

  for (let end = text.search(/[ \t]|$/); ; end = end + 1 + text.slice(end + 1).search(/[ \t]|$/)) {
    const program = await existing(files, text.slice(0, end))
    if (program !== undefined) return {args: splitCommandLine(`x${text.slice(end)}`).slice(1), program}
    if (end >= text.length) return undefined
  }
}

/** Windows' own programs exist without being on the simulated drive. */
async function existing(files: Files, path: string): Promise<string | undefined> {
  const candidates = win32.extname(path) === '' ? [`${path}.exe`, path] : [path]
  for (const candidate of candidates) {
    if (/^[a-z]:\\windows\\/i.test(candidate) || (await isFile(files, candidate))) return candidate
  }

  return undefined
}

/** An invalid name does not exist. */
async function isFile(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.status(path))?.kind === 'file'
  } catch (error) {
    if (error instanceof FileError) return false
    throw error
  }
}
