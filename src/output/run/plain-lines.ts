// Lines for unattended runs: the time in front, pure ASCII, no longer than a log viewer shows.
import {ascii, breakHard, printable, truncate, wrap} from '../text/text-shape.js'

export const WIDTH = 120
const INDENT = '    '

/** Cut where it is too long. */
export function plainLine(at: string, text: string): string {
  return truncate(`${at} ${clean(text)}`, WIDTH, '...')
}

/** What must not be cut goes on in further lines. */
export function plainLines(at: string, text: string, indent = ''): string[] {
  return wrap(clean(text), WIDTH - at.length - 1 - indent.length, '  ').map((part) => `${at} ${indent}${part}`)
}

/** What a step changed, or would change; the further lines of one, such as a file's, keep their blanks. */
export function plainChange(at: string, step: string, change: string): string[] {
  const [first = '', ...rest] = change.split(/\r?\n/)
  const width = WIDTH - at.length - 1 - INDENT.length
  return [
    ...plainLines(at, `${step}: ${first}`),
    ...rest.flatMap((line) => breakHard(verbatim(line), width).map((part) => `${at} ${INDENT}${part}`.trimEnd())),
  ]
}

function verbatim(line: string): string {
  return (/^ */.exec(line)?.[0] ?? '') + clean(line)
}

const clean = (text: string): string => ascii(printable(text))
