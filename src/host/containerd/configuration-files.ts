// The files that make up the configuration of a containerd that was there before: config.toml, and what it imports by
// name, by a relative path or by a pattern (containerd cmd/containerd/server/config/config.go, resolveImports). 1.x shows
// the files themselves in its dump; 2.x shows the lines as they are written.
import {win32} from 'node:path'
import {parse as parseToml, type TomlTable} from 'smol-toml'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import type {Files} from '../../machine/files.js'
import {readUserFile} from '../cluster/kubeconfig-file.js'
import {listAt} from '../document.js'
import {keyOf} from '../security/known-paths.js'
import type {Trust} from '../security/trust.js'

interface FileCalls {
  readonly files: Pick<Files, 'list' | 'readChunks' | 'status'>
  readonly trust: Pick<Trust, 'demand'>
}

export interface ConfigurationFile {
  readonly path: string
  readonly text: string
}

/** Drop-ins that installers write are a handful. */
const MOST_FILES = 50

/** `listed`: the imports of the dump. Throws where others can change one of the files, or add one, and for too many. */
export async function configurationFiles(
  calls: FileCalls,
  config: string,
  listed: readonly unknown[],
): Promise<ConfigurationFile[]> {
  const found = new Map<string, ConfigurationFile>()
  const pending = [config, ...(await resolved(calls, config, listed))]
  for (let path = pending.shift(); path !== undefined; path = pending.shift()) {
    const key = keyOf(win32.normalize(path))
    if (found.has(key)) continue
    if (found.size === MOST_FILES) throw new UnusableFileError(`imports more than ${MOST_FILES} files`)
    await calls.trust.demand(path)
    const text = (await readUserFile(calls.files, path))?.toString('utf8') ?? ''
    found.set(key, {path, text})
    pending.push(...(await resolved(calls, path, listAt(parsed(text), 'imports'))))
  }

  return [...found.values()]
}

async function resolved(calls: FileCalls, file: string, imports: readonly unknown[]): Promise<string[]> {
  const paths = imports
    .filter((one) => typeof one === 'string')
    .map((one) => (win32.isAbsolute(one) ? win32.normalize(one) : win32.join(win32.dirname(file), one)))
  const found = await Promise.all(paths.map(async (path) => (path.includes('*') ? matchesOf(calls, path) : [path])))
  return found.flat()
}

async function matchesOf({files, trust}: FileCalls, pattern: string): Promise<string[]> {
  const [root = '', ...names] = pattern.split('\\')
  let found = [root]
  for (const name of names) {
    if (!name.includes('*')) {
      found = found.map((folder) => `${folder}\\${name}`)
      continue
    }

    const inside: string[] = []
    for (const folder of found.map((one) => (one.endsWith(':') ? `${one}\\` : one))) {
      // Who can add a file to it configures a daemon of SYSTEM.
      await trust.demand(folder, 'closed')
      const matching = (await files.list(folder)).filter((one) => globOf(name).test(one))
      inside.push(...matching.map((one) => win32.join(folder, one)))
    }

    found = inside
  }

  return found
}

/** filepath.Match of Go; a class of characters stands for any here. */
const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/\[[^\]]*(?:\]|$)/g, '?')
      .replace(/[.+^${}()|[\]]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  )

/** Undefined for what is no TOML. */
export function parsed(text: string): TomlTable | undefined {
  try {
    return parseToml(text)
  } catch {
    return undefined
  }
}
