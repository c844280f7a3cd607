// Is this a request for help or for the version? Decided without loading anything, so that the answer comes at once.

const HELP = new Set(['--help', '-?', '-h', '-help', '/?'])

const FIRST_PAGE = 'k8s-win'

export function isHelp(token: string): boolean {
  return HELP.has(token.toLowerCase())
}

export function isVersion(argv: readonly string[]): boolean {
  return argv.length === 1 && ['--version', '-version'].includes(argv[0]?.toLowerCase() ?? '')
}

/** The page wanted: a command's name, "k8s-win" for the first page, undefined where help is not all that is asked for. */
export function helpPage(argv: readonly string[]): string | undefined {
  const [first, second] = argv
  if (argv.length > 2) return undefined
  if (first === undefined || isHelp(first)) return FIRST_PAGE
  if (first === 'help') return second === undefined || isHelp(second) ? FIRST_PAGE : second
  return second !== undefined && isHelp(second) ? first : undefined
}
