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

export interface ThemeOptions {
  readonly colour: boolean
  readonly unicode: boolean
}

export function createTheme({colour, unicode}: ThemeOptions): Theme {
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

/** NO_COLOR (no-color.org) switches colours off, and nothing else. */
export function themeOptions(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): ThemeOptions {
  const set = (name: string): boolean => (environment[name] ?? '') !== ''
  return {
    colour: !set('NO_COLOR'),
    // The old Windows console's fonts lack these symbols; Windows Terminal and editors' terminals have them.
    unicode: platform !== 'win32' || set('WT_SESSION') || set('TERM_PROGRAM'),
  }
}
