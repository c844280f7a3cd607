// The configuration as text and as JSON: each option, its value, and its source.
import type {Source} from '../../config/options/layers.js'
import {printable, tableLines} from './text-shape.js'

export interface ShownOption {
  /** Null where only the configuration file has it. */
  readonly flag: string | null
  readonly key: string
  readonly source: Source
  /** What is used without a value, in words. */
  readonly unset?: string
  /** Null without a value and a default. */
  readonly value: boolean | string | readonly string[] | {readonly [field: string]: unknown} | null
  /** --release, K8S_WIN_RELEASE, file, line and key, or the cluster's object that says so; empty for a default. */
  readonly where: string
}

export interface ConfigDocument {
  readonly command: 'config show'
  readonly options: readonly Omit<ShownOption, 'unset'>[]
  readonly schemaVersion: 1
  readonly simulated: boolean
}

export function configDocument(options: readonly ShownOption[], simulated: boolean): ConfigDocument {
  const shown = options.map(({flag, key, source, value, where}) => ({flag, key, source, value, where}))
  return {command: 'config show', options: shown, schemaVersion: 1, simulated}
}

const FROM: Readonly<Record<Source, string>> = {
  cluster: 'cluster',
  default: 'default',
  environment: 'environment',
  file: 'file',
  flag: 'command line',
  host: 'this host',
  release: 'release',
  stored: 'last setup',
}

export function configLines(options: readonly ShownOption[]): string[] {
  const rows = options.map((option) => [
    option.flag === null ? option.key : `--${option.flag}`,
    printable(valueText(option)),
    option.where === '' ? FROM[option.source] : `${FROM[option.source]}: ${printable(option.where)}`,
  ])
  return tableLines([['OPTION', 'VALUE', 'FROM'], ...rows])
}

function valueText({unset, value}: ShownOption): string {
  if (value === null) return `(${unset ?? 'none'})`
  if (Array.isArray(value)) return value.join(', ') || '(none)'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
