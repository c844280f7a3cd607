// The JavaScript of the single executable: CommonJS files, because Node.js 24 takes nothing else there.
import path from 'node:path'
import {build, type BuildOptions, transform} from 'esbuild'
import {commandTable, COMMON_OPTIONS, EXTERNAL, lazyRequires, lessOfGot, lessOfOclif, root} from './esbuild-options.mjs'
import {NODE_VERSION} from './npm-packages.js'

const TARGET = `node${NODE_VERSION}`
const LOADER = 'packaging/exe-loader.ts'
const MAIN = 'packaging/exe-main.ts'

export interface ExeBundle {
  /** By their names, which are the keys of the assets. */
  readonly assets: ReadonlyMap<string, string>
  /** What Node.js runs. */
  readonly main: string
}

/**
 * Divided where k8s-win imports at run time, as dist is: V8 parses whatever it compiles, and no command needs the other
 * commands, few need the simulator, HTTP or programs.
 */
export async function bundleExe(): Promise<ExeBundle> {
  const [loader, files] = await Promise.all([
    bundle({entryPoints: [LOADER], format: 'cjs'}),
    bundle({
      chunkNames: '[name]-[hash]',
      entryPoints: {main: MAIN},
      format: 'esm',
      plugins: [lazyRequires(), lessOfGot(), lessOfOclif(), commandTable('import')],
      splitting: true,
    }),
  ])
  const assets = await Promise.all([...files].map(async ([name, code]) => [name, await asCommonJs(code)] as const))
  return {assets: new Map(assets), main: [...loader.values()].join('')}
}

async function bundle(options: BuildOptions): Promise<Map<string, string>> {
  // Nothing is written there.
  const outdir = path.join(root, 'dist')
  const common = {...COMMON_OPTIONS, external: EXTERNAL, outdir, target: TARGET}
  const {outputFiles} = await build({...common, ...options, write: false})
  return new Map(outputFiles.map((file) => [path.relative(outdir, file.path), file.text]))
}

/** esbuild divides only ES modules. Those that it wrote have nothing but imports and exports to be translated. */
async function asCommonJs(code: string): Promise<string> {
  const {minifySyntax, minifyWhitespace} = COMMON_OPTIONS
  const translated = await transform(code, {
    format: 'cjs',
    minifySyntax: minifySyntax === true,
    minifyWhitespace: minifyWhitespace === true,
    platform: 'node',
    // Outside of files Node.js has no module loader to import with.
    supported: {'dynamic-import': false},
    target: TARGET,
  })
  return translated.code
}
