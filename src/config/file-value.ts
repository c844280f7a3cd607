// One value of the configuration file: which types an option takes, and as what text.
import {posix, win32} from 'node:path'
import {isMap, isScalar, isSeq} from 'yaml'
import type {OptionSpec} from './option-spec.js'
import type {YamlDocument} from './yaml-document.js'

export const WANTED: Readonly<Record<OptionSpec['kind'], string>> = {
  list: 'a list of texts',
  names: 'a list of names',
  pairs: 'a mapping of texts to texts',
  switch: 'true or false',
  text: 'text',
}

export type FileValue =
  | {readonly value: string | readonly string[]}
  | {readonly node: unknown; readonly part: string; readonly wanted: string}

/** The value as text, or which part of it is of another type. */
export function readValue({kind}: OptionSpec, node: unknown, {follow}: YamlDocument): FileValue {
  const found = follow(node)
  const wrong = {node, part: '', wanted: WANTED[kind]}
  if (kind === 'switch') {
    return isScalar(found) && typeof found.value === 'boolean' ? {value: String(found.value)} : wrong
  }
  if (kind === 'text') {
    const text = textOf(found)
    return text === undefined ? wrong : {value: text}
  }
  const entries = entriesIn(kind, found, follow)
  const bad = entries?.find(({text}) => text === undefined)
  if (bad !== undefined) return {node: bad.node, part: bad.part, wanted: WANTED.text}
  return entries === undefined ? wrong : {value: entries.map(({text}) => text ?? '')}
}

interface Entry {
  readonly node: unknown
  readonly part: string
  readonly text: string | undefined
}

function entriesIn(kind: OptionSpec['kind'], found: unknown, follow: YamlDocument['follow']): Entry[] | undefined {
  if (isSeq(found)) return found.items.map((node, index) => ({node, part: `[${index}]`, text: textOf(follow(node))}))
  if (kind !== 'pairs' || !isMap(found)) return undefined
  return found.items.map(({key, value}) => {
    const [name, text] = [textOf(follow(key)), textOf(follow(value))]
    if (name === undefined) return {node: key, part: "'s name", text: undefined}
    return {node: value ?? key, part: `.${name}`, text: text === undefined ? undefined : `${name}=${text}`}
  })
}

/** What stands there, in words. */
export function typeName(node: unknown): string {
  if (node === undefined) return 'an alias without its anchor'
  if (isSeq(node)) return 'a list'
  if (isMap(node)) return 'a mapping'
  if (!isScalar(node) || node.value === null) return 'empty'
  if (typeof node.value === 'number' || typeof node.value === 'bigint') return 'a number'
  if (typeof node.value === 'boolean') return 'true or false'
  return textOf(node) === undefined ? 'text with control characters' : 'text'
}

/** A relative path is meant from the folder of the file it stands in. */
export function besideFile(file: string, path: string): string {
  const isWindows = /^[a-z]:|\\/i.test(file)
  if (path === '' || /^[a-z]:/i.test(path) || /^[/\\]/.test(path)) return path
  return isWindows ? win32.join(win32.dirname(file), path) : posix.join(posix.dirname(file), path)
}

function textOf(node: unknown): string | undefined {
  // eslint-disable-next-line no-control-regex -- neither Windows nor Kubernetes has names with these
  return isScalar(node) && typeof node.value === 'string' && !/[\u0000-\u001F\u007F]/.test(node.value)
    ? node.value
    : undefined
}
