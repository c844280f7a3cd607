// The configuration file: read strictly, every problem with its line and column. Values are text, as flags give them.
import {isMap, isPair, isScalar, isSeq} from 'yaml'
import {
  configKind,
  configRepeatedKey,
  configSyntax,
  configUnknownKey,
  configWrongType,
} from '../errors/configuration.js'
import type {K8sWinError} from '../errors/k8s-win-error.js'
import {API_VERSION, isOption, KEYS, KIND, type KeyTree} from './key-tree.js'
import type {Layer} from './layers.js'
import {nearest} from './nearest.js'
import type {Option, OptionFlag} from './options.js'
import {besideFile, readValue, typeName} from './file-value.js'
import {readYaml, type YamlDocument} from './yaml-document.js'

export interface ConfigFile extends Layer {
  readonly problems: readonly K8sWinError[]
}

type Given = string | readonly string[]

/** `name` is how people call the file: it stands before every line number. */
export function readConfigFile(text: string, name: string, source: 'file' | 'stored'): ConfigFile {
  const reader = new Reader(readYaml(text), name)
  reader.read()
  return {given: reader.given, problems: reader.problems, source, where: reader.where}
}

class Reader {
  readonly given: Partial<Record<OptionFlag, Given>> = {}
  readonly problems: K8sWinError[] = []
  readonly where: Partial<Record<OptionFlag, Given>> = {}

  constructor(
    private readonly yaml: YamlDocument,
    private readonly name: string,
  ) {}

  read(): void {
    for (const {place, reason} of this.yaml.problems) {
      this.problems.push(configSyntax({reason, where: `${this.name}:${place}`}))
    }

    // What cannot be parsed is not judged any further: its keys may not be keys.
    if (this.problems.length > 0) return
    const head = {apiVersion: API_VERSION, kind: KIND}
    const seen = this.#readMap(this.yaml.root, KEYS, [], head)
    for (const [key, wanted] of Object.entries(head)) {
      if (seen && !seen.has(key)) this.problems.push(configKind({key, wanted, where: `${this.name}:1:1`}))
    }
  }

  /** The keys that are there; undefined where it is no mapping. */
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
      else if (branch === undefined) this.#unknown(keyNode, word, tree, path)
      else if (isOption(branch)) this.#readOption(branch, value)
      else this.#readMap(value, branch, [...path, word])
      seen.add(word)
    }

    return seen
  }

  #readOption(option: Option, node: unknown): void {
    const key = option.key ?? ''
    const read = readValue(option, node, this.yaml)
    if (!('value' in read)) return this.#wrongType(read.node, `${key}${read.part}`, read.wanted)
    const {value} = read
    this.given[option.flag] = typeof value === 'string' && option.path ? besideFile(this.name, value) : value
    const found = this.yaml.follow(node)
    this.where[option.flag] =
      isSeq(found) || isMap(found)
        ? found.items.map((entry) => `${this.#whereOf(isPair(entry) ? entry.key : entry)} ${key}`)
        : `${this.#whereOf(node)} ${key}`
  }

  #demand(node: unknown, key: string, wanted: string): void {
    const value = this.yaml.follow(node)
    if (!isScalar(value) || value.value !== wanted)
      this.problems.push(configKind({key, wanted, where: this.#whereOf(node)}))
  }

  #unknown(node: unknown, word: string, tree: KeyTree, path: readonly string[]): void {
    const near = nearest(word, [...tree.keys()])
    const suggestion = near === undefined ? '' : [...path, near].join('.')
    this.problems.push(configUnknownKey({key: [...path, word].join('.'), suggestion, where: this.#whereOf(node)}))
  }

  #wrongType(node: unknown, key: string, wanted: string): void {
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
