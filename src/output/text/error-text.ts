// An error as people read it: what, why, what to do, and where to read more.
import type {ErrorDocument} from '../../pipeline/run/events.js'
import {wrap} from './text-shape.js'

/** What to do, and under it commands to copy, each on a line of its own. */
export function fixLines(fix: string): string[] {
  const [first = '', ...commands] = fix.split('\n')
  return [`Fix: ${first}`, ...commands.map((command) => `${COMMAND}${command}`)]
}

const COMMAND = '  '

/** A line of these at most `width` columns wide; a command is never broken, for it is to be copied. */
export function fitLine(line: string, width: number, clean: (text: string) => string): string[] {
  const [indent = ''] = /^ */.exec(line) ?? []
  if (indent.length > COMMAND.length) return [`${indent}${clean(line)}`]
  return wrap(clean(line), width - indent.length, '  ').map((part) => `${indent}${part}`)
}

/** Unwrapped lines; the ones after the first of an error are indented. */
export function errorLines(errors: readonly ErrorDocument[]): string[] {
  return errors.flatMap((error) => [
    `Error: ${error.message}`,
    `  Cause: ${error.cause}`,
    ...fixLines(error.fix).map((line) => `  ${line}`),
    `  ${error.id}: see "k8s-win explain ${error.id}"`,
  ])
}
