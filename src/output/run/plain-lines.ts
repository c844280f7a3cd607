// Lines for unattended runs: the time in front, pure ASCII, each thing in one line, which is found whole in a log.
import {ascii, printable} from '../text/text-shape.js'
import {changeParts} from './verdict.js'

const INDENT = '    '

export const clean = (text: string): string => ascii(printable(text))

/** Without a time where nothing has begun. */
export const stamped = (at: string, line: string): string => (at === '' ? line : `${at} ${line}`)

export const plainLine = (at: string, text: string): string => stamped(at, clean(text))

/** What a step changed, or would change. */
export function plainChange(at: string, step: string, change: string): string[] {
  const {first, rest} = changeParts(change, clean)
  return [plainLine(at, `${step}: ${first}`), ...rest.map((line) => `${at} ${INDENT}${line}`.trimEnd())]
}

export const bytesOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)
