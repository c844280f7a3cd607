// Every option of `setup`, once.
import {CLUSTER_OPTIONS} from './cluster-options.js'
import {NODE_OPTIONS} from './node-options.js'
import type {OptionSpec} from './option-spec.js'
import {RUN_OPTIONS} from './run-options.js'
import {VERSION_OPTIONS} from './version-options.js'

const TABLE = [...NODE_OPTIONS, ...CLUSTER_OPTIONS, ...VERSION_OPTIONS, ...RUN_OPTIONS] as const

export type OptionFlag = (typeof TABLE)[number]['flag']
export type Option = OptionSpec & {readonly flag: OptionFlag}

export const OPTIONS: readonly Option[] = TABLE

/** What was given, as text, before anything is checked. */
export type GivenOptions = Readonly<Partial<Record<OptionFlag, boolean | string | readonly string[]>>>

export function optionOf(flag: OptionFlag): Option {
  const found = OPTIONS.find((option) => option.flag === flag)
  if (!found) throw new Error(`no option ${flag}`)
  return found
}

/** A value that may be given several times, as a list: commas separate too, and an empty text is no entry. */
export function entriesOf(given: GivenOptions[OptionFlag]): string[] {
  const texts = typeof given === 'object' ? given : given === undefined ? [] : [String(given)]
  return texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

/** K8S_WIN_BASE_DIR for base-dir. */
export function environmentVariable(flag: string): string {
  return `K8S_WIN_${flag.replaceAll('-', '_').toUpperCase()}`
}
