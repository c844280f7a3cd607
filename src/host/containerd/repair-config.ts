// What --adopt changes in the config.toml of a containerd that was there before: the CRI plugin is no longer disabled.
import {isDeepStrictEqual} from 'node:util'
import {stringify} from 'smol-toml'
import {parsed} from './configuration-files.js'

/** By either of their names (v1MigratePluginName). */
export const CRI_PLUGINS: readonly unknown[] = [
  'cri',
  'io.containerd.grpc.v1.cri',
  'io.containerd.cri.v1.images',
  'io.containerd.cri.v1.runtime',
]

const LINE = /^([ \t]*disabled_plugins[ \t]*=[ \t]*)\[[^[\]]*\]/m

/** Undefined where there is nothing to repair, or where the file cannot be read. The rest stays as it is written. */
export function repairedConfiguration(text: string): string | undefined {
  const file = parsed(text)
  const disabled = file?.['disabled_plugins']
  if (!file || !Array.isArray(disabled)) return undefined
  const kept = disabled.filter((id) => !CRI_PLUGINS.includes(id))
  if (kept.length === disabled.length) return undefined
  const wanted = {...file, disabled_plugins: kept}
  const edited = text.replace(LINE, `$1[${kept.map((id) => JSON.stringify(id)).join(', ')}]`)
  return isDeepStrictEqual({...parsed(edited)}, wanted) ? edited : stringify(wanted)
}
