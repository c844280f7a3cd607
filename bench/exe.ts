// How long k8s-win.exe takes to answer in the lab, against its own Node.js: medians of interleaved runs. Prints figures,
// has no limits. Both programs are laid out for Wine in the same way, and neither loads anything of the lab's own.
import packageDocument from '../package.json' with {type: 'json'}
import {fetchPackage, fileOf, NODE_FOR_WINDOWS} from '../packaging/npm-packages.js'
import {buildRelease, FILE_NAMES} from '../packaging/release.js'
import {openLab} from '../test/lab/lab.js'
import {pageAligned} from '../test/lab/layers/page-aligned.js'

const RUNS = 15
const EXE = 'C:\\lab\\k8s-win.exe'
const NODE = 'C:\\lab\\bare-node.exe'

const cases = [
  {args: ['-e', '0'], code: 0, name: 'node.exe -e 0', program: NODE},
  {args: ['--version'], code: 0, name: 'k8s-win.exe --version', program: EXE},
  {args: ['status'], code: 9, name: 'k8s-win.exe status', program: EXE},
].map((entry) => ({...entry, times: [] as number[]}))

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const exe = (await buildRelease()).get(FILE_NAMES.exe)!
console.log(`k8s-win.exe ${packageDocument.version}: ${(exe.length / 1e6).toFixed(1)} MB`)
const lab = await openLab()
try {
  const machine = await lab.machine()
  await machine.write(EXE, pageAligned(exe))
  await machine.write(NODE, pageAligned(fileOf(await fetchPackage(NODE_FOR_WINDOWS), 'bin/node.exe')))
  // Interleaved, so that whatever else the machine does falls on all alike. The first round warms the file cache.
  for (let round = 0; round <= RUNS; round += 1) {
    for (const {args, code, program, times} of cases) {
      const result = await machine.run({args, env: {NODE_OPTIONS: ''}, program})
      if (result.code !== code) throw new Error(`${args.join(' ')} ended with ${result.code}: ${result.stderr}`)
      if (round > 0) times.push(result.durationMs)
    }
  }
} finally {
  await lab.close()
}

const baseline = median(cases[0]?.times ?? [])
for (const {name, times} of cases) {
  const time = median(times)
  console.log(`${name.padEnd(22)} ${time.toFixed(0).padStart(6)} ms  x${(time / baseline).toFixed(2)}`)
}
