// The prompt before something is removed: on the terminal, or with an answer that is piped in.
import {readAnswer} from '../machine/real/question.js'
import {printable, wrap} from '../output/text/text-shape.js'
import type {Sink} from '../output/screen.js'
import type {Answer, Asker, Question} from '../runs/reset/reset-run.js'
import {redactor} from './redactor.js'

type Input = NodeJS.ReadableStream & {readonly isTTY?: boolean}

export interface Terminal {
  readonly stderr: Sink
  readonly stdin: Input
  readonly stdout: Sink
}

/** Limit for an answer that is piped in: without a terminal, a script that pipes nothing continues. */
const PIPED_MS = 2000

export function askOn(terminal: Terminal): Asker {
  const input = inputOf(terminal)
  const isTerminal = input?.isTTY === true
  // Where the one who types sees it. Otherwise stderr, for stdout may be read by a program.
  const screen = !terminal.stderr.isTTY && isTerminal && terminal.stdout.isTTY ? terminal.stdout : terminal.stderr
  return {
    async ask(question, signal) {
      if (input === undefined) return 'none'
      if (isTerminal) screen.write(textOf(question, screen))
      const answer = await readAnswer(input, signal, isTerminal ? undefined : PIPED_MS)
      // The end of the input leaves the cursor behind the question.
      if (isTerminal && answer === undefined) screen.write('\n')
      return meaningOf(answer, isTerminal)
    },
    isTerminal,
  }
}

/** A process without a console may have no input that can be opened. */
export function inputOf(terminal: Pick<Terminal, 'stdin'>): Input | undefined {
  try {
    return terminal.stdin
  } catch {
    return undefined
  }
}

/** A window of 24 rows also has to show the warnings above the question. */
const MOST_ROWS = 20

function textOf({lines, stays, text}: Question, {columns}: Sink): string {
  const width = Math.max(40, columns || 120)
  const fitted = (line: string): string[] => wrap(printable(redactor.redact(line)), width - 5, '  ')
  const kept = stays.length === 0 ? '' : `This stays: ${stays.join(', ')}. `
  const end = [...fitted(`${kept}--dry-run lists every change.`), '', `${redactor.redact(text)} [y/N] `]
  const list = lines.flatMap((line) => fitted(line).map((part) => `  ${part}`))
  const room = MOST_ROWS - 1 - end.length
  const shown = list.length > room ? [...list.slice(0, room - 1), '  …'] : list
  return ['Reset will:', ...shown, ...end].join('\n')
}

function meaningOf(answer: string | undefined, isTerminal: boolean): Answer {
  if (answer === undefined) return isTerminal ? 'no' : 'none'
  return /^\s*y(?:es)?\s*$/i.test(answer) ? 'yes' : 'no'
}
