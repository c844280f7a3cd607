// The own time of status on a healthy simulated node, against Node.js itself in the same minutes: as a process, and its
// check alone; and what it asks of the machine. Prints figures, has no limits.
import {spawnSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {interceptMachine} from '../src/machine/intercept.js'
import {openAssets} from '../src/machine/real/assets.js'
import {createRedactor} from '../src/output/text/redact.js'
import {runStatus} from '../src/runs/status/status.js'
import {openSimulator} from '../src/simulator/simulator.js'

const ROUNDS = 15
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'bin', 'run.js')

function timeOf(args: readonly string[]): number {
  const start = performance.now()
  const {status, stderr} = spawnSync(process.execPath, args, {encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe']})
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - start
}

async function check(dir: string): Promise<{ms: number; programs: number; reads: number}> {
  const asked = {programs: 0, reads: 0}
  const simulated = await openSimulator({dir, profile: 'ws2019', readOnly: true})
  const machine = interceptMachine(simulated, async ({via}, perform) => {
    asked[via === 'run' ? 'programs' : 'reads'] += 1
    return perform()
  })
  const start = performance.now()
  const {exitCode} = await runStatus({
    assets: openAssets(root),
    environment: {},
    machine,
    redactor: createRedactor(),
    signal: new AbortController().signal,
    typed: (name) => `k8s-win ${name}`,
  })
  if (exitCode !== 0) throw new Error(`status ended with ${exitCode}`)
  return {ms: performance.now() - start, ...asked}
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const dir = mkdtempSync(join(tmpdir(), 'k8s-win-bench-'))
try {
  const simulate = ['--simulate', 'ws2019', '--simulate-dir', dir]
  timeOf([bin, 'setup', ...simulate])
  const times = {check: [] as number[], node: [] as number[], status: [] as number[]}
  let asked = {programs: 0, reads: 0}
  // Interleaved, so that whatever else the machine does falls on all alike. The first round warms the file cache.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const checked = await check(dir)
    const measured = {check: checked.ms, node: timeOf(['-e', '0']), status: timeOf([bin, 'status', ...simulate])}
    asked = checked
    if (round > 0) for (const name of ['check', 'node', 'status'] as const) times[name].push(measured[name])
  }

  const baseline = median(times.node)
  const line = (name: string, time: number): string =>
    `${name.padEnd(23)} ${time.toFixed(0).padStart(6)} ms  x${(time / baseline).toFixed(2)}`
  console.log(line('node -e 0', baseline))
  console.log(line('status', median(times.status)))
  console.log(line('status, its check alone', median(times.check)))
  console.log(`${asked.reads} questions, ${asked.programs} programs started`)
} finally {
  rmSync(dir, {force: true, recursive: true})
}
