// Recognises requests for help and for the version without loading anything, so that the answer comes at once.

const HELP = new Set(['--help', '-?', '-h', '-help', '/?'])
const HELP_ALL = new Set(['--help-all', '-helpall'])
const VERSION = new Set(['--version', '-version', 'version'])

const FIRST_PAGE = 'k8s-win'

export const isHelp = (token: string): boolean => HELP.has(token.toLowerCase()) || isHelpAll(token)

/** The page with every flag, not only the common ones. */
export const isHelpAll = (token: string): boolean => HELP_ALL.has(token.toLowerCase())

/** How the version is asked for, if it is. Without a command -v cannot mean --verbose. */
export function versionFormat(argv: readonly string[]): 'json' | 'text' | undefined {
  const [first = '', ...rest] = argv.map((token) => token.toLowerCase())
  if (!VERSION.has(first) && !(first === '-v' && rest.length === 0)) return undefined
  return rest.some((token) => /(?:^-*|[:=])json$/.test(token)) ? 'json' : 'text'
}

/** The page wanted: a command's name, "k8s-win" for the first page, undefined where help is not all that is asked for. */
export function helpPage(argv: readonly string[]): string | undefined {
  const asked = argv[0] === 'help' || isHelp(argv.at(-1) ?? '')
  if (argv.length > 0 && !asked) return undefined
  const words = argv.filter((word, index) => !isHelp(word) && !(index === 0 && word === 'help'))
  if (words.some((word) => word.startsWith('-')) || words.length > 2) return undefined
  return words.length === 0 ? FIRST_PAGE : pageOf(words, argv.some(isHelpAll))
}

/** The page of a command or a topic: config-show, config-show-all. oclif spells a command with a colon, config:show. */
export function pageOf(words: readonly string[], all: boolean): string {
  return `${words.join('-').replaceAll(':', '-')}${all ? '-all' : ''}`
}
