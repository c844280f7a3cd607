// A service's ImagePath: its program and argv.
import {win32} from 'node:path'

import type {Files} from '../../machine/files.js'
import {FileError} from '../../machine/files.js'

export interface CommandLine {
  readonly args: readonly string[]
  readonly program: string
}

/**
 * Splits as CommandLineToArgvW does: 2n backslashes before a quote make n, 2n+1 make n and a quote; two quotes
 * inside quotes make one and end them. The first word knows no backslash rule.
 */
export function splitCommandLine(line: string): string[] {
  const words = [firstWord(line)]
  let at = wordEnd(line)
  while (at < line.length) {
    while (isBlank(line[at])) at++
    if (at >= line.length) break
    const word = nextWord(line, at)
    words.push(word.text)
    at = word.end
  }

  return words
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

const isBlank = (letter: string | undefined): boolean => letter === ' ' || letter === '\t'

function wordEnd(line: string): number {
  if (!line.startsWith('"')) return line.search(/[ \t]|$/)
  const close = line.indexOf('"', 1)
  return close === -1 ? line.length : close + 1
}

const firstWord = (line: string): string => line.slice(0, wordEnd(line)).replace(/^"|"$/g, '')

function nextWord(line: string, start: number): {end: number; text: string} {
  let text = ''
  let quoted = false
  let at = start
  for (; at < line.length && (quoted || !isBlank(line[at])); at++) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    const isBeforeQuote = line[at + slashes] === '"'
    if (slashes > 0) {
      text += '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes
      if (isBeforeQuote && slashes % 2 === 1) text += '"'
      else at--
    } else if (line[at] === '"') {
      if (quoted && line[at + 1] === '"') {
        text += '"'
        at++
      }
      quoted = !quoted
    } else text += line[at]
  }

  return {end: at, text}
}
