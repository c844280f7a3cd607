// Bundles the Windows-side suites, so that node.exe needs nothing of this checkout's tools.
import {readdir, readFile} from 'node:fs/promises'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'
import {FOR_WINDOWS} from './bundle.js'

const SUITES = fileURLToPath(new URL('windows/', import.meta.url))
const ASSUMPTIONS = new URL('../../docs/assumptions.md', import.meta.url)

export interface BundledSuites {
  /** By name: `smoke` for smoke.suite.ts. */
  readonly suites: ReadonlyMap<string, string>
  readonly reporter: string
}

export async function suiteNames(): Promise<string[]> {
  return (await readdir(SUITES)).flatMap((file) => /^(.+)\.suite\.ts$/.exec(file)?.[1] ?? []).sort()
}

export async function bundleSuites(into: string): Promise<BundledSuites> {
  const names = await suiteNames()
  await build({
    ...FOR_WINDOWS,
    define: {ASSUMPTIONS_PAGE: JSON.stringify(await readFile(ASSUMPTIONS, 'utf8'))},
    entryPoints: [path.join(SUITES, 'reporter.ts'), ...names.map((name) => path.join(SUITES, `${name}.suite.ts`))],
    outExtension: {'.js': '.mjs'},
    outdir: into,
  })
  const suites = new Map(names.map((name) => [name, path.join(into, `${name}.suite.mjs`)]))
  return {reporter: path.join(into, 'reporter.mjs'), suites}
}
