// Where text is shown: whether that is a terminal, how wide it is, and its colours and symbols. Decided here only.
import {Chalk} from 'chalk'
import {ascii, breakHard, printable, wrap} from './text/text-shape.js'

/** The part of a stream that is used. */
export interface Sink {
  readonly columns?: number | undefined
  readonly isTTY?: boolean | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
}

type Paint = (text: string) => string

/** Meanings; only the theme knows the colours. */
export interface Theme {
  readonly bad: Paint
  readonly bold: Paint
  readonly changed: Paint
  readonly dim: Paint
  readonly ellipsis: string
  readonly good: Paint
  readonly spinner: readonly string[]
  readonly symbols: Readonly<Record<'bad' | 'good' | 'idle' | 'warn', string>>
  readonly warn: Paint
}

export interface Screen {
  /** Text from outside as it may be shown here, in one line. */
  clean(text: string): string
  /** Whether rows may be drawn again in their place. */
  readonly isLive: boolean
  readonly isTerminal: boolean
  readonly rows: number
  readonly stream: Sink
  readonly theme: Theme
  /** The columns that may be used: a full row would make the terminal wrap. */
  readonly width: number
}

const COLUMNS = 80
const ROWS = 24
/** The width of a file or a pipe: log viewers show as many columns. */
const PLAIN_COLUMNS = 120
const NARROWEST = 20

export function openScreen(
  stream: Sink,
  environment: NodeJS.ProcessEnv = {},
  platform: NodeJS.Platform = 'linux',
): Screen {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== ''
  const isTerminal = stream.isTTY === true
  const isLive = isTerminal && environment['TERM'] !== 'dumb' && !isSet('CI')
  return {
    // What is not a terminal may be read in any code page.
    clean: (text) => (isTerminal ? printable(text) : ascii(printable(text))),
    isLive,
    isTerminal,
    get rows() {
      return stream.rows || ROWS
    },
    stream,
    theme: createTheme({
      // NO_COLOR (no-color.org) switches colours off, and nothing else.
      colour: isLive && !isSet('NO_COLOR'),
      // The old Windows console's fonts lack the symbols; Windows Terminal and editors' terminals have them.
      unicode: isLive && (platform !== 'win32' || isSet('WT_SESSION') || isSet('TERM_PROGRAM')),
    }),
    get width() {
      return Math.max(NARROWEST, (isTerminal ? stream.columns || COLUMNS : PLAIN_COLUMNS) - 1)
    },
  }
}

export function createTheme({colour, unicode}: {readonly colour: boolean; readonly unicode: boolean}): Theme {
  const chalk = new Chalk({level: colour ? 1 : 0})
  return {
    bad: chalk.red,
    bold: chalk.bold,
    changed: chalk.yellow,
    dim: chalk.dim,
    ellipsis: unicode ? '…' : '...',
    good: chalk.green,
    spinner: unicode ? ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] : ['-', '\\', '|', '/'],
    symbols: unicode ? {bad: '✖', good: '✔', idle: '○', warn: '▲'} : {bad: 'x', good: '+', idle: '-', warn: '!'},
    warn: chalk.yellow,
  }
}

/** A sentence that belongs to no view, in lines as wide as the others. */
export const sentenceLines = (text: string, {clean, width}: Screen): string[] => wrap(clean(text), width, '  ')

/** The stack of an error: its line breaks and its indentation stay. */
export const stackLines = (stack: string, {clean, width}: Screen): string[] =>
  stack.split(/\r?\n/).flatMap((line) => {
    const indent = ' '.repeat(Math.min(4, line.search(/\S|$/)))
    return breakHard(`${indent}${clean(line)}`, width)
  })

/** Shown before everything else about a simulated machine: a rehearsal must not be taken for the real thing. */
export const bannerLines = (simulated: boolean): string[] =>
  simulated ? ['SIMULATED: this is about a simulated Windows Server, not about this machine.'] : []
