// The configuration file: read strictly, every problem with its line and column. Values are text, as flags give them.
import {posix, win32} from 'node:path'
import {isMap, isPair, isScalar, isSeq, type Node, type Scalar, type YAMLMap} from 'yaml'
import {
  configKind,
  configRepeatedKey,
  configSyntax,
  configUnknownKey,
  configWrongType,
} from '../../errors/configuration.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Layer} from './layers.js'
import type {StoredMachine} from '../model.js'
import {nearest} from '../nearest.js'
import {ALL_OPTIONS, type Option, type OptionFlag} from './options.js'
import {readYaml, type YamlDocument} from '../yaml.js'

export interface ConfigFile extends Layer {
  /** Only in the stored file, where setup wrote it: it is not an option. */
  readonly madeOn?: StoredMachine
  readonly problems: readonly K8sWinError[]
}

type Given = string | readonly string[]

/** Of a mapping of fields: many times as many, and as deep, as a KubeletConfiguration has. */
const MOST_VALUES = 2000
const DEEPEST = 20

const WANTED: Readonly<Record<Option['kind'], string>> = {
  arguments: 'a mapping of flags to texts',
  fields: 'a mapping of fields to values',
  list: 'a list of texts',
  names: 'a list of names',
  pairs: 'a mapping of texts to texts',
  switch: 'true or false',
  text: 'text',
}

/** `name` is the file name in messages, before every line number. */
export function readConfigFile(text: string, name: string, source: 'file' | 'stored'): ConfigFile {
  const {given, madeOn, problems, where} = new Reader(readYaml(text), name, source)
  return {given, ...(madeOn && {madeOn}), problems, source, where}
}

class Reader {
  readonly given: Partial<Record<OptionFlag, Given>> = {}
  madeOn?: StoredMachine
  readonly problems: K8sWinError[] = []
  #values = 0
  readonly where: Partial<Record<OptionFlag, Given>> = {}

  constructor(
    private readonly yaml: YamlDocument,
    private readonly name: string,
    private readonly source: 'file' | 'stored',
  ) {
    for (const {place, reason} of yaml.problems) this.problems.push(configSyntax({reason, where: `${name}:${place}`}))
    // What cannot be parsed is not checked any further: its keys may not be keys.
    if (this.problems.length > 0) return
    const head = {apiVersion: API_VERSION, kind: KIND}
    const seen = this.#readMap(yaml.root, KEYS, [], head)
    for (const [key, wanted] of Object.entries(head)) {
      if (seen && !seen.has(key)) this.problems.push(configKind({key, wanted, where: `${name}:1:1`}))
    }
  }

  /** The keys that are there; undefined where it is not a mapping. */
  #readMap(
    node: unknown,
    tree: KeyTree,
    path: readonly string[],
    head: Readonly<Record<string, string>> = {},
  ): Set<string> | undefined {
    const map = this.yaml.follow(node)
    if (!isMap(map)) {
      this.#wrongType(node, path.length === 0 ? 'the file' : path.join('.'), 'a mapping of keys to values')
      return undefined
    }

    const seen = new Set<string>()
    for (const {key: keyNode, value} of map.items) {
      const word = this.#wordOf(keyNode)
      const key = [...path, word].join('.')
      const branch = tree.get(word)
      if (seen.has(word)) this.problems.push(configRepeatedKey({key, where: this.#whereOf(keyNode)}))
      else if (Object.hasOwn(head, word)) this.#demand(value, word, String(head[word]))
      else if (key === MADE_ON && this.source === 'stored') this.#readMachine(value)
      // Of a copy of node.yaml that a user passes, the machine means nothing.
      else if (key === MADE_ON) continue
      else if (branch === undefined) this.#unknown(keyNode, word, tree, path)
      else if (isOption(branch)) this.#readOption(branch, value)
      else this.#readMap(value, branch, [...path, word])
      seen.add(word)
    }

    return seen
  }

  #readMachine(node: unknown): void {
    const map = this.yaml.follow(node)
    const read = (key: string): string => (isMap(map) && textOf(this.yaml.follow(map.get(key, true)))) || ''
    this.madeOn = {computerName: read('computerName'), uuid: read('uuid')}
  }

  #readOption({flag, key = '', kind, path}: Option, node: unknown): void {
    const found = this.yaml.follow(node)
    const value = this.#read(kind, key, node, found)
    if (value === undefined) return
    this.given[flag] = typeof value === 'string' && path ? besideFile(this.name, value) : value
    const named = (entry: unknown): string =>
      kind === 'fields' && isPair(entry) ? `${key}.${this.#wordOf(entry.key)}` : key
    this.where[flag] =
      isSeq(found) || isMap(found)
        ? found.items.map((entry) => `${this.#whereOf(isPair(entry) ? entry.key : entry)} ${named(entry)}`)
        : `${this.#whereOf(node)} ${key}`
  }

  /** Undefined and reported if it has another type. */
  #read(kind: Option['kind'], key: string, node: unknown, found: Node | undefined): Given | undefined {
    if (kind === 'switch' && isScalar(found) && typeof found.value === 'boolean') return String(found.value)
    if (kind === 'fields' && isMap(found)) return JSON.stringify(this.#valueIn(node, key, 0))
    const entries =
      kind === 'switch' || kind === 'fields'
        ? undefined
        : kind === 'text'
          ? textOf(found)
          : this.#entriesIn(kind, found)
    if (entries === undefined) return this.#wrongType(node, key, WANTED[kind])
    if (typeof entries === 'string') return entries
    const bad = entries.find(({text}) => text === undefined)
    if (bad) return this.#wrongType(bad.node, `${key}${bad.part}`, WANTED.text)
    return entries.map(({text}) => text ?? '')
  }

  #entriesIn(
    kind: Option['kind'],
    found: Node | undefined,
  ): {node: unknown; part: string; text: string | undefined}[] | undefined {
    const read = (node: unknown): string | undefined => textOf(this.yaml.follow(node))
    if (isSeq(found)) return found.items.map((node, index) => ({node, part: `[${index}]`, text: read(node)}))
    if (!['arguments', 'pairs'].includes(kind) || !isMap(found)) return undefined
    return found.items.map(({key, value}) => {
      const [name, text] = [read(key), read(value)]
      if (name === undefined) return {node: key, part: "'s name", text: undefined}
      return {node: value ?? key, part: `.${name}`, text: text === undefined ? undefined : `${name}=${text}`}
    })
  }

  /** As JSON has it; what JSON does not have is reported. */
  #valueIn(node: unknown, key: string, depth: number): unknown {
    const found = this.yaml.follow(node)
    // An alias may stand for itself, or for many. It is reported once.
    if (this.#values > MOST_VALUES) return null
    if (++this.#values > MOST_VALUES || depth > DEEPEST) {
      this.#values = Infinity
      return this.#wrongType(node, key, `at most ${MOST_VALUES} values, and ${DEEPEST} levels`)
    }
    if (isSeq(found)) return found.items.map((item, index) => this.#valueIn(item, `${key}[${index}]`, depth + 1))
    if (isMap(found)) return this.#mappingIn(found, key, depth + 1)
    const value = isScalar(found) ? found.value : null
    const isJson =
      typeof value === 'boolean' || (typeof value === 'string' ? textOf(found) !== undefined : Number.isFinite(value))
    if (value !== null && !isJson) this.#wrongType(node, key, 'text, a number, true, false, a list or a mapping')
    return value
  }

  #mappingIn({items}: YAMLMap, key: string, depth: number): Record<string, unknown> {
    const seen = new Set<string>()
    return Object.fromEntries(
      items.map(({key: node, value}) => {
        const name = textOf(this.yaml.follow(node))
        if (name === undefined) this.#wrongType(node, `${key}'s name`, WANTED.text)
        const path = `${key}.${name ?? ''}`
        if (seen.has(path)) this.problems.push(configRepeatedKey({key: path, where: this.#whereOf(node)}))
        seen.add(path)
        return [name ?? '', this.#valueIn(value, path, depth)]
      }),
    )
  }

  #demand(node: unknown, key: string, wanted: string): void {
    const value = this.yaml.follow(node)
    if (isScalar(value) && value.value === wanted) return
    this.problems.push(configKind({key, wanted, where: this.#whereOf(node)}))
  }

  #unknown(node: unknown, word: string, tree: KeyTree, path: readonly string[]): void {
    const near = nearest(word, [...tree.keys()])
    const suggestion = near === undefined ? '' : [...path, near].join('.')
    this.problems.push(configUnknownKey({key: [...path, word].join('.'), suggestion, where: this.#whereOf(node)}))
  }

  #wrongType(node: unknown, key: string, wanted: string): undefined {
    const found = node === null ? 'empty' : typeName(this.yaml.follow(node))
    this.problems.push(configWrongType({found, key, wanted, where: this.#whereOf(node)}))
  }

  #whereOf(node: unknown): string {
    return `${this.name}:${this.yaml.placeOf(node)}`
  }

  #wordOf(node: unknown): string {
    const key = this.yaml.follow(node)
    return isScalar(key) ? String(key.value) : '?'
  }
}

function typeName(node: Node | undefined): string {
  if (node === undefined) return 'an alias without its anchor'
  if (isSeq(node)) return 'a list'
  if (isMap(node)) return 'a mapping'
  if (!isScalar(node) || node.value === null) return 'empty'
  if (isNumber(node)) return 'a number'
  if (typeof node.value === 'boolean') return 'true or false'
  return textOf(node) === undefined ? 'text with control characters' : 'text'
}

/** A relative path is meant from the folder of the file it stands in. - is standard input. */
function besideFile(file: string, path: string): string {
  if (path === '' || path === '-' || /^[a-z]:/i.test(path) || /^[/\\]/.test(path)) return path
  return /^[a-z]:|\\/i.test(file) ? win32.join(win32.dirname(file), path) : posix.join(posix.dirname(file), path)
}

/** A number is taken as it is written: 1.30 and 5 are what was meant, and whether they fit is for the option to say. */
function textOf(node: Node | undefined): string | undefined {
  if (!isScalar(node)) return undefined
  const text = isNumber(node) ? node.source : node.value
  // eslint-disable-next-line no-control-regex -- neither Windows nor Kubernetes has names with these
  return typeof text === 'string' && !/[\u0000-\u001F\u007F]/.test(text) ? text : undefined
}

const isNumber = ({value}: Scalar): boolean => typeof value === 'number' || typeof value === 'bigint'

export const API_VERSION = 'k8s-win/v1'
export const KIND = 'NodeConfig'
export const MADE_ON = 'madeOn'

export type KeyTree = ReadonlyMap<string, KeyTree | Option>

export const KEYS: KeyTree = grow(
  ALL_OPTIONS.flatMap((option) => (option.key === undefined ? [] : [{option, path: option.key.split('.')}])),
)

export function isOption(branch: KeyTree | Option): branch is Option {
  return !(branch instanceof Map)
}

function grow(leaves: readonly {readonly option: Option; readonly path: readonly string[]}[]): KeyTree {
  const names = [...new Set(leaves.map(({path}) => path[0] ?? ''))]
  return new Map(
    names.map((name) => {
      const below = leaves.filter(({path}) => path[0] === name)
      const [first] = below
      return [
        name,
        first?.path.length === 1 ? first.option : grow(below.map(({option, path}) => ({option, path: path.slice(1)}))),
      ]
    }),
  )
}
