// How dockershim finds its CNI network: the first valid configuration whose plugins exist.
import {win32} from 'node:path'

import type {Stage} from '../../model.js'

export type CniNetwork =
  | {
      readonly delegates: readonly string[]
      readonly error?: undefined
      readonly name: string
      readonly types: readonly string[]
    }
  | {readonly error: string}

interface PluginConfig {
  delegate?: {type?: string}
  ipam?: {type?: string}
  name?: string
  plugins?: PluginConfig[]
  type?: string
}

/**
 * pkg/kubelet/dockershim/network/cni, getDefaultCNINetwork: files named .conf, .conflist or .json in the order of their
 * names, except those that are invalid or whose plugins are missing.
 */
export async function findCniNetwork(stage: Stage, confDir: string, binDirs: readonly string[]): Promise<CniNetwork> {
  const files = await configFiles(stage, confDir)
  if (files.length === 0) return {error: `no networks found in ${confDir}`}
  let problem = `no valid networks found in ${confDir}`
  for (const file of files) {
    const read = parse(file, (await stage.files.read(win32.join(confDir, file))) ?? Buffer.alloc(0))
    if ('error' in read) {
      problem = read.error
      continue
    }

    const plugins = read.plugins
    const types = plugins.map(({type}) => type ?? '')
    const missing = await firstMissing(stage, types, binDirs)
    if (missing === undefined) {
      const delegates = plugins.flatMap(({delegate, ipam}) =>
        [delegate?.type, ipam?.type].filter((one) => one !== undefined),
      )
      return {delegates, name: read.name, types}
    }

    problem = `[failed to find plugin "${missing}" in path [${binDirs.join(' ')}]]`
  }

  return {error: problem}
}

/** libcni's ConfFiles skips folders; sort.Strings compares bytes. */
async function configFiles({files}: Stage, confDir: string): Promise<string[]> {
  const names = (await files.list(confDir)).filter((name) => /\.(conf|conflist|json)$/.test(name))
  const kinds = await Promise.all(names.map(async (name) => (await files.status(win32.join(confDir, name)))?.kind))
  return names
    .filter((_, index) => kinds[index] !== 'directory')
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

/** The first plugin without a program. */
export async function firstMissing(
  stage: Stage,
  types: readonly string[],
  binDirs: readonly string[],
): Promise<string | undefined> {
  for (const type of types) {
    const found = await Promise.all(binDirs.map((folder) => stage.files.status(win32.join(folder, `${type}.exe`))))
    if (!found.some((status) => status?.kind === 'file')) return type
  }

  return undefined
}

function parse(file: string, bytes: Buffer): {error: string} | {name: string; plugins: readonly PluginConfig[]} {
  let config: PluginConfig
  try {
    // Go reads neither UTF-16 nor a byte order mark, which PowerShell writes (docs/facts.md#paths-and-environment).
    config = JSON.parse(bytes.toString('utf8')) as PluginConfig
  } catch {
    return {error: `error parsing configuration: invalid character in ${file}`}
  }

  if (file.endsWith('.conflist')) {
    if (!config.plugins?.length) return {error: `error parsing configuration list: no 'plugins' key in ${file}`}
    return {name: config.name ?? '', plugins: config.plugins}
  }

  if (!config.type) return {error: `error loading CNI config file ${file}: no 'type'; perhaps this is a .conflist?`}
  return {name: config.name ?? '', plugins: [config]}
}
