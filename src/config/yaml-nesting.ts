// How deep a YAML text is nested, found without calling oneself: the parser does, and some ten thousand levels deep that
// takes the process down in a way nothing can catch.
import {CST, Parser} from 'yaml'

/** More than anybody writes, and far less than is dangerous. */
const DEEPEST = 100

export function isNestedTooDeeply(text: string): boolean {
  const waiting: {readonly depth: number; readonly token: CST.Token}[] = []
  for (const token of new Parser().parse(text)) waiting.push({depth: 0, token})
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const {depth, token} = next
    if (depth > DEEPEST) return true
    for (const below of within(token)) waiting.push({depth: depth + 1, token: below})
  }

  return false
}

function within(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : []
  if (!CST.isCollection(token)) return []
  return token.items.flatMap(({key, value}) => [key, value]).filter((part) => part !== undefined && part !== null)
}
