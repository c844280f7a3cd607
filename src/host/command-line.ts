// Windows command lines: one string that CommandLineToArgvW splits again into the same arguments.
import {isPassable} from '../machine/run.js'

/** What CreateProcess takes, without the zero at the end. */
const MOST_LETTERS = 32_766

/** The program is always quoted: an unquoted path with a space lets C:\Program.exe run instead (CWE-428). */
export function joinCommandLine(argv: readonly string[]): string {
  const [program = '', ...args] = argv
  // In the first word a quote cannot be written, and % cannot be hidden.
  if (/["%]/.test(program)) throw new TypeError(`a service's program cannot have a quote or % in its path: ${program}`)
  const bad = argv.findIndex((arg) => !isPassable(arg))
  if (bad !== -1) throw new TypeError(`argument ${bad} of ${program} contains a character that cannot be passed on`)
  const line = [`"${program}"`, ...args.map((arg) => quoteArgument(arg))].join(' ')
  if (line.length > MOST_LETTERS)
    throw new TypeError(`the command line of ${program} is too long: ${line.length} characters`)
  return line
}

/**
 * The service manager puts values in place of %variables% before it starts a service, and knows no escape. So the text
 * between two % begins with a quote, as no variable's name does.
 */
export function quoteArgument(arg: string): string {
  if (arg !== '' && !/[\s"%]/.test(arg)) return arg
  return arg.split('%').map(quotePart).join('%')
}

/** Backslashes count only before a quote: there each is doubled, and so they are before the closing quote. */
export function quotePart(part: string): string {
  return `"${part.replaceAll(/(?<!\\)(\\*)"/g, String.raw`$1$1\"`).replace(/(?<!\\)(\\+)$/, '$1$1')}"`
}
