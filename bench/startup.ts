// How long k8s-win takes to answer, against Node.js itself: medians of interleaved runs. Prints figures, has no limits.
import {spawnSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'

const RUNS = 30
const bin = fileURLToPath(new URL('../bin/run.js', import.meta.url))

const cases = [
  {args: ['-e', '0'], name: 'node -e 0'},
  {args: [bin, '--version'], name: 'k8s-win --version'},
  {args: [bin, '--help'], name: 'k8s-win --help'},
  {args: [bin, 'setup', '--help'], name: 'k8s-win setup --help'},
].map((entry) => ({...entry, times: [] as number[]}))

function timeOf(args: readonly string[]): number {
  const start = performance.now()
  const {status} = spawnSync(process.execPath, args, {stdio: 'ignore'})
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return performance.now() - start
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

// Interleaved, so that whatever else the machine does falls on all alike. The first round warms the file cache.
for (let round = 0; round <= RUNS; round += 1) {
  for (const entry of cases) {
    const time = timeOf(entry.args)
    if (round > 0) entry.times.push(time)
  }
}

const baseline = median(cases[0]?.times ?? [])
for (const {name, times} of cases) {
  const time = median(times)
  const compared = `x${(time / baseline).toFixed(2)}  ${(time - baseline).toFixed(1).padStart(6)} ms above`
  console.log(`${name.padEnd(22)} ${time.toFixed(1).padStart(7)} ms  ${compared}`)
}
