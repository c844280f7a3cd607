// The keys of the configuration file, as a tree: "images.registry" is registry below images.
import {type Option, OPTIONS} from './options.js'

export const API_VERSION = 'k8s-win/v1'
export const KIND = 'NodeConfig'

export type KeyTree = ReadonlyMap<string, KeyTree | Option>

export const KEYS: KeyTree = grow(
  OPTIONS.flatMap((option) => (option.key === undefined ? [] : [{option, path: option.key.split('.')}])),
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
