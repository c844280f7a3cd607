// The files that a config.toml imports, in the order in which containerd merges them (cmd/containerd/server/config/config.go,
// LoadConfig, resolveImports and mergeConfig of 2.3.4; services/server/config of 1.7.25). Patterns in the last part of a
// path only.
import {win32} from 'node:path'
import {parse as parseToml, type TomlTable, type TomlValue} from 'smol-toml'
import type {Stage} from '../model.js'

export interface ImportedFile {
  readonly path: string
  readonly text: string
}

/** Undefined text: a file that is named does not exist. */
export async function importsOf(
  files: Pick<Stage['files'], 'list' | 'read'>,
  path: string,
  text: string,
): Promise<ImportedFile[] | {readonly missing: string}> {
  const found = new Map<string, ImportedFile>()
  const pending = await resolved(files, path, text)
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (found.has(next) || next === path) continue
    const read = (await files.read(next))?.toString('utf8')
    if (read === undefined) return {missing: next}
    found.set(next, {path: next, text: read})
    pending.push(...(await resolved(files, next, read)))
  }

  return [...found.values()]
}

/** Lists are added up; of the rest the last file wins, 1.x for a whole plugin at once. */
export function mergeConfig(to: TomlTable, from: TomlTable, isOld: boolean): TomlTable {
  const merged: TomlTable = {...to}
  for (const [key, value] of Object.entries(from)) {
    const before = merged[key]
    if (Array.isArray(before) && Array.isArray(value)) merged[key] = [...new Set([...before, ...value])]
    else if (!isTable(before) || !isTable(value)) merged[key] = value
    else merged[key] = isOld && key === 'plugins' ? {...before, ...value} : mergeConfig(before, value, isOld)
  }

  return merged
}

async function resolved(files: Pick<Stage['files'], 'list'>, file: string, text: string): Promise<string[]> {
  const paths = importLines(text).map((one) =>
    win32.isAbsolute(one) ? win32.normalize(one) : win32.join(win32.dirname(file), one),
  )
  const found = await Promise.all(
    paths.map(async (path) => {
      if (!path.includes('*')) return [path]
      const [before = '', after = ''] = win32.basename(path).toLowerCase().split('*')
      return (await files.list(win32.dirname(path)))
        .filter((name) => name.toLowerCase().startsWith(before) && name.toLowerCase().endsWith(after))
        .map((name) => win32.join(win32.dirname(path), name))
    }),
  )
  return found.flat()
}

/** A file that cannot be parsed is refused later. */
function importLines(text: string): string[] {
  try {
    const {imports} = parseToml(text)
    return Array.isArray(imports) ? imports.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

export const isTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
