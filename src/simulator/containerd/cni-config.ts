// How containerd finds its CNI network (containerd/go-cni, opts.go loadFromConfDir): the first file by name, and only that
// one; a file that is not valid is an error, not skipped as dockershim did.
import {win32} from 'node:path'

import type {Stage} from '../model.js'

export interface PluginConfig {
  readonly delegate?: {readonly [key: string]: unknown; readonly type?: string}
  readonly type?: string
}

export type LoadedNetwork =
  | {
      readonly cniVersion: string
      readonly error?: undefined
      readonly name: string
      readonly plugins: readonly PluginConfig[]
    }
  | {readonly error: string}

interface ConfigFile extends PluginConfig {
  readonly cniVersion?: string
  readonly name?: string
  readonly plugins?: readonly PluginConfig[]
}

export async function loadCniConfig({files, world}: Stage): Promise<LoadedNetwork> {
  const folder = world.containerd.config?.cniConfDir ?? ''
  if (world.containerd.config?.cniConfDirLost) return {error: 'cni plugin not initialized'}
  const names = (await files.list(folder)).filter((name) => /\.(?:conf|conflist|json)$/.test(name)).sort()
  const [first] = names
  if (first === undefined) return {error: `no network config found in ${folder}: cni plugin not initialized`}
  const path = win32.join(folder, first)
  const isList = first.endsWith('.conflist')
  const invalid = (reason: string): LoadedNetwork => ({
    error: `failed to load CNI config ${isList ? 'list ' : ''}file ${path}: ${reason}: invalid cni config`,
  })
  let config: ConfigFile
  try {
    config = JSON.parse((await files.read(path))?.toString('utf8') ?? '') as ConfigFile
  } catch (error) {
    return invalid(`error parsing configuration: ${(error as Error).message}`)
  }

  const {cniVersion = '0.1.0', name, plugins = []} = config
  // libcni, NetworkConfFromBytes: a list needs a name and plugins, each with a type.
  if (isList && !name) return invalid('error parsing configuration list: no name')
  if (isList && plugins.length === 0) return invalid("error parsing configuration list: no 'plugins' key")
  const all = isList ? plugins : [config]
  if (all.some(({type}) => !type)) return {error: `network type not found in ${path}: invalid cni config`}
  return {cniVersion, name: name ?? '', plugins: all}
}
