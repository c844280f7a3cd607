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
  const asked = argv[0] === 'help' || isHelp(argv.at(-1) ?? '')
  if (argv.length > 0 && !asked) return undefined
  const words = argv.filter((word, index) => !isHelp(word) && !(index === 0 && word === 'help'))
  if (words.some((word) => word.startsWith('-')) || words.length > 2) return undefined
  return words.length === 0 ? FIRST_PAGE : pageOf(words)
}

/** The page of a command or a topic: config-show. oclif's own spelling of a command has a colon, config:show. */
export function pageOf(words: readonly string[]): string {
  return words.join('-').replaceAll(':', '-')
}
