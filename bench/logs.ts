// What "logs" costs on a node with 1 GiB of logs: the last 100 entries, the last second, and all of it through --grep,
// against the same node with small logs and against Node.js itself. Prints figures and does not judge them.
import {spawnSync} from 'node:child_process'
import {closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

const RUNS = 9
const GREPS = 3
const FILES = 4
const FILE_BYTES = 256 * 1024 ** 2
const bin = fileURLToPath(new URL('../bin/run.js', import.meta.url))
/** Prints, when it ends, the most memory a process had, in KiB. */
const PRINT_MEMORY = `--import=data:text/javascript,process.on('exit',()=>process._rawDebug('rss='+process.resourceUsage().maxRSS))`

/** The least that a search can do: reads the same files in blocks, and searches each block. */
const SEARCH = `
const {closeSync, openSync, readdirSync, readSync} = require('node:fs')
const [folder, words] = process.argv.slice(1)
const block = Buffer.alloc(1 << 18)
for (const name of readdirSync(folder)) {
  const file = openSync(folder + '/' + name)
  for (let size = readSync(file, block); size > 0; size = readSync(file, block)) block.toString('utf8', 0, size).includes(words)
  closeSync(file)
}`
const WORDS = 'no such words'

const dir = mkdtempSync(join(tmpdir(), 'k8s-win-bench-'))
const [SMALL, LARGE] = [join(dir, 'small'), join(dir, 'large')]

interface Figures {
  readonly kib: number[]
  readonly ms: number[]
}

function run(args: readonly string[], host: string, figures?: Figures): void {
  const start = performance.now()
  const {status, stderr} = spawnSync(process.execPath, [PRINT_MEMORY, ...args], {
    encoding: 'utf8',
    env: {...process.env, K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host},
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ms = performance.now() - start
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  figures?.ms.push(ms)
  figures?.kib.push(Number(/rss=(\d+)/.exec(stderr)?.[1]))
}

/** Two lines a millisecond, as a kubelet with much to say; the files one after the other. Returns the end of the last. */
function writeLogs(): number {
  const begin = Date.UTC(2026, 10, 15)
  let at = begin
  for (let file = 0; file < FILES; file++) {
    const stamp = new Date(at).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
    const name = `kubelet.exe.WIN-1.WORKGROUP_WIN-1$.log.INFO.${stamp}.${3000 + file}`
    const handle = openSync(join(LARGE, 'c', 'k', 'logs', 'kubelet', name), 'w')
    for (let written = 0; written < FILE_BYTES; at += 1000) {
      const [, month, day, time] = /^\d+-(\d+)-(\d+)T(.{8})/.exec(new Date(at).toISOString()) ?? []
      let lines = ''
      for (let line = 0; line < 2000; line++) {
        const fraction = String(line * 500).padStart(6, '0')
        lines += `I${month}${day} ${time}.${fraction}    3000 kubelet_getters.go:176] "Pod status updated" pod="default/web-${line % 50}" status=Running\n`
      }
      written += writeSync(handle, lines)
    }
    closeSync(handle)
  }
  return at
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

function print(name: string, {kib, ms}: Figures, base: number): void {
  const above = `${(median(ms) - base).toFixed(1).padStart(7)} ms above`
  console.log(
    `${name.padEnd(42)} ${median(ms).toFixed(1).padStart(8)} ms  ${above}  ${(Math.max(...kib) / 1024).toFixed(0).padStart(4)} MiB at most`,
  )
}

try {
  run([bin, 'setup'], SMALL)
  cpSync(SMALL, LARGE, {recursive: true})
  const end = writeLogs()
  const figures = (): Figures => ({kib: [], ms: []})
  const [node, small, large, second] = [figures(), figures(), figures(), figures()]
  const [grep, search] = [figures(), figures()]
  const tail = [bin, 'logs', '--tail', '100']
  const since = [bin, 'logs', 'kubelet', '--since-time', new Date(end - 1000).toISOString()]
  // Interleaved, so that whatever else the machine does falls on all alike. The first round warms the file cache.
  for (let round = 0; round <= RUNS; round++) {
    const counted = (one: Figures): Figures | undefined => (round > 0 ? one : undefined)
    run(['-e', '0'], SMALL, counted(node))
    run(tail, SMALL, counted(small))
    run(tail, LARGE, counted(large))
    run(since, LARGE, counted(second))
  }
  for (let round = 0; round < GREPS; round++) {
    run(['-e', SEARCH, join(LARGE, 'c', 'k', 'logs', 'kubelet'), WORDS], LARGE, search)
    run([bin, 'logs', 'kubelet', '--grep', WORDS], LARGE, grep)
  }

  const base = median(node.ms)
  print('node -e 0', node, base)
  print('logs --tail 100, small logs', small, base)
  print('logs --tail 100, 1 GiB', large, base)
  print('logs --since-time (the last second), 1 GiB', second, base)
  print('a plain search in 1 GiB', search, base)
  print('logs --grep, all of 1 GiB', grep, base)
  console.log(`the 1 GiB costs --tail 100 ${(median(large.ms) - median(small.ms)).toFixed(1)} ms`)
  const above = (one: Figures): number => median(one.ms) - base
  console.log(`--grep takes ${(above(grep) / above(search)).toFixed(1)} times as long as a plain search`)
  console.log(`--grep reads ${((FILES * FILE_BYTES) / 1e6 / (median(grep.ms) / 1000)).toFixed(0)} MB/s; aim: 200`)
} finally {
  rmSync(dir, {force: true, recursive: true})
}
