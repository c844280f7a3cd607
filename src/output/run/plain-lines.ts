// Lines for unattended runs: the time in front, pure ASCII, no longer than a log viewer shows.
import {ascii, breakHard, printable, truncate, wrap} from '../text/text-shape.js'
import {changeParts} from './verdict.js'

export const WIDTH = 120
const INDENT = '    '

export const clean = (text: string): string => ascii(printable(text))

/** Cut where it is too long. */
export function plainLine(at: string, text: string): string {
  return truncate(`${at} ${clean(text)}`, WIDTH, '...')
}

/** What must not be cut continues in further lines. */
export function plainLines(at: string, text: string, indent = ''): string[] {
  return wrap(clean(text), WIDTH - at.length - 1 - indent.length, '  ').map((part) => `${at} ${indent}${part}`)
}

/** What a step changed, or would change. */
export function plainChange(at: string, step: string, change: string): string[] {
  const {first, rest} = changeParts(change, clean)
  const width = WIDTH - at.length - 1 - INDENT.length
  return [
    ...plainLines(at, `${step}: ${first}`),
    ...rest.flatMap((line) => breakHard(line, width).map((part) => `${at} ${INDENT}${part}`.trimEnd())),
  ]
}

export const bytesOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)
