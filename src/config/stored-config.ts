// What setup keeps of a configuration, in the base directory: the next run goes on from there. No secrets: of files only
// the place of our copy.
import {stringify} from 'yaml'
import {API_VERSION, KIND} from './config-file.js'
import {identityFile, layoutOf} from './layout.js'
import {entriesOf, type GivenOptions, type Option, type OptionFlag, OPTIONS} from './options.js'

type Value = boolean | string | readonly string[] | Readonly<Record<string, string>>
interface Tree {
  [key: string]: Tree | Value
}

const HEADING = [
  ' What this node was set up with, written by k8s-win setup. A later setup takes from here what it is not told',
  ' otherwise. Do not edit it: give setup the options instead.',
].join('\n')

export function storedText(given: GivenOptions, baseDir: string): string {
  const document: Tree = {apiVersion: API_VERSION, kind: KIND}
  for (const option of OPTIONS) {
    const value = option.flag === 'base-dir' ? baseDir : storedValue(option, given, baseDir)
    if (value !== undefined && option.key !== undefined) plant(document, option.key.split('.'), value)
  }

  // In quotes, so that no reader takes 1809 for a number or no for false.
  const options = {defaultKeyType: 'PLAIN', defaultStringType: 'QUOTE_DOUBLE', lineWidth: 0} as const
  return `${HEADING.replaceAll(/^/gm, '#')}\n${stringify(document, options)}`
}

function storedValue(option: Option, given: GivenOptions, baseDir: string): Value | undefined {
  const value = given[option.flag] ?? (option.stored === 'always' ? option.default : undefined)
  if (value === undefined || option.stored === 'never') return undefined
  if (option.stored === 'copy') return copyOf(option.flag, baseDir)
  if (option.kind === 'text') return String(value)
  if (option.kind === 'switch') return String(value) === 'true'
  const entries = entriesOf(value)
  return option.kind === 'pairs' ? Object.fromEntries(entries.map(splitPair)) : entries
}

/** Where setup copied the file to: the user's own may be gone the next time. */
function copyOf(flag: OptionFlag, baseDir: string): string | undefined {
  if (flag === 'client-ca-file') return layoutOf(baseDir).clientCA
  const identity = (['flanneld', 'kube-proxy', 'kubelet'] as const).find((name) => flag === `${name}-kubeconfig`)
  return identity === undefined ? undefined : identityFile(baseDir, identity)
}

function splitPair(text: string): [name: string, value: string] {
  const end = text.indexOf('=')
  return [text.slice(0, end), text.slice(end + 1)]
}

function plant(tree: Tree, [key = '', ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) tree[key] = value
  else plant((tree[key] ??= {}) as Tree, rest, value)
}
