// The own time of setup on a simulated host, where waiting takes none: of a fresh run, and of one that finds everything in
// place; and how many effects each has. Against Node.js itself, in the same minutes. Prints figures, has no limits.
import {spawnSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {interceptMachine} from '../src/machine/intercept.js'
import {openAssets} from '../src/machine/real/assets.js'
import {createRedactor} from '../src/output/text/redact.js'
import {EventBus} from '../src/pipeline/run/events.js'
import {runSetup} from '../src/runs/setup/setup.js'
import {openSimulator} from '../src/simulator/simulator.js'

const ROUNDS = 7
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'bin', 'run.js')

interface Effects {
  changes: number
  reads: number
  /** Pieces of the run's own log, as many as there was time for: beside the others. */
  toLog: number
}

function timeOf(args: readonly string[]): number {
  const start = performance.now()
  const {status, stderr} = spawnSync(process.execPath, args, {encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe']})
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - start
}

async function effectsOf(dir: string): Promise<Effects> {
  const effects: Effects = {changes: 0, reads: 0, toLog: 0}
  const simulated = await openSimulator({dir, profile: 'ws2019'})
  const machine = interceptMachine(simulated, async ({args, kind}, perform) => {
    if (/\\logs\\k8s-win\\/.test(args[0] ?? '')) effects.toLog += 1
    else if (kind === 'change') effects.changes += 1
    else effects.reads += 1
    return perform()
  })
  const {exitCode} = await runSetup({
    assets: openAssets(root),
    bus: new EventBus(() => simulated.clock.now()),
    given: {},
    machine,
    redactor: createRedactor(),
    signal: new AbortController().signal,
  })
  if (exitCode !== 0) throw new Error(`setup ended with ${exitCode}`)
  return effects
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'k8s-win-bench-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, {force: true, recursive: true})
  }
}

const times = {fresh: [] as number[], node: [] as number[], 'no-op': [] as number[]}
// Interleaved, so that whatever else the machine does falls on all alike. The first round warms the file cache.
for (let round = 0; round <= ROUNDS; round += 1) {
  await inFolder(async (dir) => {
    const setup = [bin, 'setup', '--simulate', 'ws2019', '--simulate-dir', dir]
    const measured = {fresh: timeOf(setup), 'no-op': timeOf(setup), node: timeOf(['-e', '0'])}
    if (round === 0) return
    for (const name of ['fresh', 'no-op', 'node'] as const) times[name].push(measured[name])
  })
}

const [fresh, again] = await inFolder(async (dir) => [await effectsOf(dir), await effectsOf(dir)] as const)
const baseline = median(times.node)
const line = (name: string, time: number, {changes, reads, toLog}: Effects): string =>
  `${name.padEnd(14)} ${time.toFixed(0).padStart(6)} ms  x${(time / baseline).toFixed(1).padStart(5)}  ${reads} reads, ${changes} changes, ${toLog} to the log`
console.log(`${'node -e 0'.padEnd(14)} ${baseline.toFixed(0).padStart(6)} ms`)
console.log(line('setup, fresh', median(times.fresh), fresh))
console.log(line('setup, no-op', median(times['no-op']), again))
