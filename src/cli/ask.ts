// Asking before something is removed: on a terminal only, on stderr, for stdout may be read by a program.
import {readAnswer} from '../machine/real/question.js'
import {printable, wrap} from '../output/text-shape.js'
import type {Sink} from '../output/view.js'
import type {Question} from '../runs/reset-run.js'

export interface Terminal {
  readonly stderr: Sink
  readonly stdin: NodeJS.ReadableStream & {readonly isTTY?: boolean}
}

/** Undefined where nobody can be asked. */
export function askOn(terminal: Terminal) {
  // In this order: a process without a console has no stdin worth opening.
  if (!terminal.stderr.isTTY || !terminal.stdin.isTTY) return undefined
  const {stderr, stdin} = terminal
  return async ({lines, stays, text}: Question, signal: AbortSignal): Promise<boolean> => {
    const width = Math.max(40, stderr.columns || 120)
    const fitted = (line: string): string[] => wrap(printable(line), width - 5, '  ')
    const list = lines.flatMap((line) => fitted(line).map((part) => `  ${part}`))
    const kept = stays.length === 0 ? [] : fitted(`This stays: ${stays.join(', ')}.`)
    stderr.write(`${['This will be removed:', ...list, ...kept].join('\n')}\n\n${text} [y/N] `)
    const answer = await readAnswer(stdin, signal)
    // The end of the input leaves the cursor behind the question.
    if (answer === undefined) stderr.write('\n')
    return /^\s*y(?:es)?\s*$/i.test(answer ?? '')
  }
}
