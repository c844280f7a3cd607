// A YAML document as nodes with their places: nothing is expanded, so that no document can become larger than it is.
import {isAlias, isNode, LineCounter, type Node, parseDocument, type ParsedNode, visit} from 'yaml'
import {isNestedTooDeeply} from './yaml-nesting.js'

export interface YamlProblem {
  readonly place: string
  readonly reason: string
}

export interface YamlDocument {
  /** The node itself, or what an alias stands for; undefined where it stands for nothing. */
  follow(node: unknown): Node | undefined
  /** line:column */
  placeOf(node: unknown): string
  readonly problems: readonly YamlProblem[]
  readonly root: ParsedNode | null
}

/** One broken line can break all that follow it. */
const MOST_PROBLEMS = 10
export function readYaml(text: string): YamlDocument {
  if (isNestedTooDeeply(text)) {
    const problems = [{place: '1:1', reason: 'It is nested too deeply.'}]
    return {follow: () => undefined, placeOf: () => '1:1', problems, root: null}
  }

  const counter = new LineCounter()
  const placeAt = (offset: number): string => {
    const {col, line} = counter.linePos(offset)
    return `${Math.max(1, line)}:${Math.max(1, col)}`
  }

  const document = parseDocument(text, {
    lineCounter: counter,
    logLevel: 'error',
    // Pretty errors quote the line, which may hold anything.
    prettyErrors: false,
    uniqueKeys: false,
  })
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
}

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
