// YAML that people wrote: decoded, and as nodes with their places. Nothing is expanded, so that no document can become
// larger than it is.
import {CST, isAlias, isNode, Lexer, LineCounter, type Node, parseDocument, type ParsedNode, Parser, visit} from 'yaml'
import {UnusableFileError} from '../errors/k8s-win-error.js'
import {remembered} from '../machine/remembered.js'

export interface YamlDocument {
  /** The node itself, or what an alias stands for; undefined where it stands for nothing. */
  follow(node: unknown): Node | undefined
  /** line:column */
  placeOf(node: unknown): string
  readonly problems: readonly {readonly place: string; readonly reason: string}[]
  readonly root: ParsedNode | null
}

/** One broken line can break all that follow it. */
const MOST_PROBLEMS = 10
/** More than anybody writes, and far less than is dangerous. */
const DEEPEST = 100
/**
 * The parser takes time by the square of some texts: 900 KB of commas or quotes keep it busy for minutes. A kubeconfig of
 * 500 clusters has 60,000 words and marks, and 14,000 parts.
 */
const MOST_WORDS = 100_000
const MOST_PARTS = 20_000
/** Files of one run. */
const MOST_KNOWN = 20

/** UTF-8 or UTF-16, as editors and PowerShell's Out-File write it. Throws an Error that says what is wrong. */
export function decodeText(content: Uint8Array): string {
  const mark = Buffer.from(content.subarray(0, 2)).toString('hex')
  try {
    const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
    return new TextDecoder(encoding, {fatal: true}).decode(content)
  } catch {
    throw new UnusableFileError('it is neither UTF-8 nor UTF-16: save it as UTF-8')
  }
}

/** A run reads the stored options several times. */
export const readYaml: (text: string) => YamlDocument = remembered((text) => {
  const excess = excessOf(text)
  if (excess !== undefined) {
    const problems = [{place: '1:1', reason: `It ${excess}.`}]
    return {follow: () => undefined, placeOf: () => '1:1', problems, root: null}
  }

  const counter = new LineCounter()
  const placeAt = (offset: number): string => {
    const {col, line} = counter.linePos(offset)
    return `${Math.max(1, line)}:${Math.max(1, col)}`
  }

  // Pretty errors quote the line, which may hold anything.
  const options = {lineCounter: counter, logLevel: 'error', prettyErrors: false, uniqueKeys: false} as const
  const document = parseDocument(text, options)
  const anchors = aliasTargets(document.contents)
  return {
    follow: (node) => (isAlias(node) ? anchors.get(node) : isNode(node) ? node : undefined),
    placeOf: (node) => placeAt(isNode(node) ? (node.range?.[0] ?? 0) : 0),
    problems: [...document.errors, ...document.warnings].slice(0, MOST_PROBLEMS).map(({code, message, pos}) => ({
      place: placeAt(pos[0]),
      reason: code === 'MULTIPLE_DOCS' ? 'It has more than one document.' : sentence(message),
    })),
    root: document.contents,
  }
}, MOST_KNOWN)

/** What each alias stands for: the last anchor of its name before it. One pass, however many there are. */
function aliasTargets(root: ParsedNode | null): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>()
  const targets = new Map<Node, Node>()
  visit(root, (_, node) => {
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      if (target) targets.set(node, target)
    } else if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string') anchors.set(node.anchor, node)
  })
  return targets
}

function sentence(message: string): string {
  const [first = ''] = message.split('\n')
  return /[.!?]$/.test(first) ? first : `${first}.`
}

/**
 * Why it is not parsed; undefined where it is. Found without recursion: the parser recurses, and ten thousand levels end
 * the process in a way nothing can catch.
 */
export function excessOf(text: string): string | undefined {
  const waiting: {readonly depth: number; readonly token: CST.Token}[] = []
  let [parts, words] = [0, 0]
  for (const _word of new Lexer().lex(text)) if (++words > MOST_WORDS) return TOO_MANY_PARTS
  for (const token of new Parser().parse(text)) {
    waiting.push({depth: 0, token})
    if (++parts > MOST_PARTS) return TOO_MANY_PARTS
  }

  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const {depth, token} = next
    if (depth > DEEPEST) return 'is nested too deeply'
    // An empty item, such as those between commas, is a part as well.
    parts += CST.isCollection(token) ? token.items.length : 1
    if (parts > MOST_PARTS) return TOO_MANY_PARTS
    for (const below of within(token)) waiting.push({depth: depth + 1, token: below})
  }

  return undefined
}

const TOO_MANY_PARTS = `has more than ${MOST_PARTS} entries`

function within(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : []
  if (!CST.isCollection(token)) return []
  return token.items.flatMap(({key, value}) => [key, value]).filter((part) => part !== undefined && part !== null)
}
