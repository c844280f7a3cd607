// The licences of everything inside, in one text.
import {readdir, readFile} from 'node:fs/promises'
import path from 'node:path'
import type {Dependency} from './dependencies.js'
import {root} from './esbuild-options.mjs'
import {fileOf, NODE_VERSION, type PackageContent} from './npm-packages.js'

const RULE = '='.repeat(80)

/** `shawl` has the licences of what is compiled into it. */
export async function makeLicences(
  dependencies: readonly Dependency[],
  {node, shawl}: {readonly node: PackageContent; readonly shawl: PackageContent},
): Promise<string> {
  const parts = [{text: fileOf(node, 'LICENSE').toString('utf8'), title: `Node.js ${NODE_VERSION}`}]
  for (const {license, name, place, version} of dependencies) {
    const text = await licenceIn(path.join(root, place))
    parts.push({
      text: text ?? `Licence: ${license}. The package has no text of it.`,
      title: `${name} ${version} (${license})`,
    })
  }
  const legal = [...shawl.keys()].find((file) => file.endsWith('-legal.txt'))
  if (legal !== undefined) parts.push({text: fileOf(shawl, legal).toString('utf8'), title: 'Inside shawl'})
  return parts
    .map(({text, title}) => `${RULE}\n${title}\n${RULE}\n\n${text.replaceAll('\r\n', '\n').trim()}\n`)
    .join('\n')
}

/** Undefined also where the package is not installed here, because it is for Windows only. */
async function licenceIn(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => [])
  const file = names.sort().find((name) => /^(?:licen[cs]e|copying)(?:[.-].*)?$/i.test(name))
  return file === undefined ? undefined : readFile(path.join(folder, file), 'utf8')
}
