// Windows command lines: one string that CommandLineToArgvW takes apart again into the same arguments.

/** The program is always quoted: an unquoted path with a space lets C:\Program.exe run instead (CWE-428). */
export function joinCommandLine(argv: readonly string[]): string {
  const [program = '', ...args] = argv
  return [`"${program}"`, ...args.map((arg) => quoteArgument(arg))].join(' ')
}

export function quoteArgument(arg: string): string {
  if (arg !== '' && !/[\s"]/.test(arg)) return arg
  // Backslashes count only before a quote: there each is doubled, and so they are before the closing quote.
  const escaped = arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')
  return `"${escaped}"`
}
