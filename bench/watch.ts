// What watch costs while nothing happens: the share of one core and the memory of its process, beside an empty Node.js. The
// simulated machine is in this process, and the watch, bundled as it is shipped, in another one.
import {build} from 'esbuild'
import {type ChildProcess, fork} from 'node:child_process'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {COMMON_OPTIONS, EXTERNAL, lessOfGot} from '../packaging/esbuild-options.mjs'
import {openSimulator} from '../src/simulator/simulator.js'
import {setupOn} from '../test/setup/in-process.js'
import {HostFolder} from '../test/steps/host-folder.js'
import type {Called, Measured, Returned} from './watch-child.js'

const PROFILES = ['ws2019', 'ws2025']
const SECONDS = Number(process.argv[2] ?? 120)
/** Of one core, and of memory. */
const AIM = {megabytes: 80, percent: 0.5}

const folder = await mkdtemp(join(tmpdir(), 'k8s-win-bench-'))
const outfile = join(folder, 'watch.mjs')
await build({
  ...COMMON_OPTIONS,
  banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
  entryPoints: ['bench/watch-child.ts'],
  external: EXTERNAL,
  format: 'esm',
  outfile,
  plugins: [lessOfGot()],
  target: 'node20',
})

/** Runs one call of the child's machine on the simulated one, whose time follows that of the child. */
async function measure(profile: string, mode: 'empty' | 'watch'): Promise<Measured> {
  const host = await HostFolder.fresh(() => {}, profile)
  const {result} = await setupOn(host.dir, {}, {}, profile)
  if (result.exitCode !== 0) throw new Error(JSON.stringify(result.error))
  const machine = await openSimulator({dir: host.dir, profile})
  const child: ChildProcess = fork(outfile, [mode, String(SECONDS), String(machine.clock.now())], {
    execArgv: [],
    serialization: 'advanced',
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    child.on('message', (message: Called | Measured) => {
      if ('cpuMs' in message) return resolve(message)
      void answer(message).then((returned) => child.send(returned))
    })

    async function answer({args, at, id, part, name}: Called): Promise<Returned> {
      try {
        await machine.clock.sleep(Math.max(0, at - machine.clock.now()))
        const owner = machine[part] as unknown as Record<string, (...all: unknown[]) => unknown>
        const call = part === 'run' ? (machine.run as unknown as typeof owner.x) : owner[name]?.bind(owner)
        const value = await call?.(...args)
        // That which releases a mutex stays here: the child ends with it.
        if (typeof value === 'function') return {id, value: true}
        return {id, value: isStream(value) ? await collected(value) : value}
      } catch (error) {
        return {
          error: {...(error as object), message: String((error as Error).message), name: (error as Error).name},
          id,
        }
      }
    }
  })
}

const isStream = (value: unknown): value is AsyncIterable<Uint8Array> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

try {
  for (const profile of PROFILES) {
    for (const mode of ['empty', 'watch'] as const) {
      const {calls, cpuMs, megabytes, seconds, verdict} = await measure(profile, mode)
      if (mode === 'watch' && verdict !== 'healthy') throw new Error(`the node is ${verdict}`)
      const share = cpuMs / seconds / 10
      const isKept = share < AIM.percent && megabytes < AIM.megabytes
      console.log(
        `${profile} ${mode.padEnd(5)} ${share.toFixed(3).padStart(6)} % of a core, ${megabytes.toFixed(0)} MB, ${calls} calls, ${seconds} s${isKept ? '' : `: MISSED (below ${AIM.percent} % and ${AIM.megabytes} MB)`}`,
      )
      if (!isKept) process.exitCode = 1
    }
  }
} finally {
  await rm(folder, {force: true, recursive: true})
}
process.exit()
