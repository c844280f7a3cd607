// Colours and symbols, in one place. Everything else asks for a meaning, not for a colour.
import {Chalk} from 'chalk'

type Paint = (text: string) => string

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
