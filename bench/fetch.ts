// Fetching, verifying and unpacking a node archive, against the programs of a shell that do the same in one run: curl, tee,
// sha512sum, bsdtar (or tar), and a sync. Prints figures; judges nothing.
import {execFileSync, spawn} from 'node:child_process'
import {createHash} from 'node:crypto'
import {once} from 'node:events'
import {createReadStream, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {pipeline} from 'node:stream/promises'
import {fileURLToPath} from 'node:url'
import {createGzip} from 'node:zlib'
import {build} from 'esbuild'
import {Header} from 'tar'

const ROUNDS = 5
/** As large as the four programs of Kubernetes 1.21. */
const SIZES = {'kube-proxy.exe': 43, 'kubeadm.exe': 45, 'kubectl.exe': 46, 'kubelet.exe': 192}
const root = fileURLToPath(new URL('..', import.meta.url))

/** Programs for the archive: machine code, as the real ones are, so that it takes as long to unpack. */
function* tarOf(): Generator<Buffer> {
  const code = readFileSync(process.execPath)
  for (const [name, megabytes] of Object.entries(SIZES)) {
    const size = megabytes * 1_000_000
    const block = Buffer.alloc(512)
    new Header({mode: 0o755, mtime: new Date(0), path: `kubernetes/node/bin/${name}`, size, type: 'File'}).encode(block)
    yield block
    for (let left = size; left > 0; left -= code.length) yield code.subarray(0, Math.min(left, code.length))
    yield Buffer.alloc((512 - (size % 512)) % 512)
  }

  yield Buffer.alloc(1024)
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const has = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], {stdio: 'ignore'})
    return true
  } catch {
    return false
  }
}

/** In milliseconds, and what it printed. */
async function timeOf(program: string, args: readonly string[], cwd = root): Promise<{ms: number; text: string}> {
  const start = performance.now()
  const child = spawn(program, args, {cwd, stdio: ['ignore', 'pipe', 'inherit']})
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
  return {ms: performance.now() - start, text}
}

// In the repository, because the bundle finds its packages from there.
const dir = mkdtempSync(join(root, 'node_modules', '.bench-'))
try {
  const archive = join(dir, 'node.tar.gz')
  await pipeline(tarOf(), createGzip(), createWriteStream(archive))
  const sha512 = createHash('sha512').update(readFileSync(archive)).digest('hex')
  const program = join(dir, 'k8s-win.mjs')
  await build({
    bundle: true,
    entryPoints: [join(root, 'bench', 'fetch-k8s-win.ts')],
    external: ['koffi'],
    format: 'esm',
    logLevel: 'error',
    outfile: program,
    packages: 'external',
    platform: 'node',
  })
  const server = createServer((_, response) => createReadStream(archive, {highWaterMark: 1 << 20}).pipe(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const unpacker = has('bsdtar') ? 'bsdtar -xf -' : 'tar -xzf -'
  const shell = `set -eo pipefail; cd "$1"; curl -sS "$2" | tee >(sha512sum >sum) | ${unpacker}; sync -f .`
  const times = {node: [] as number[], own: [] as number[], theirs: [] as number[]}
  const memory: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [here, there] = [join(dir, 'here'), join(dir, 'there')]
    for (const folder of [here, there]) mkdirSync(folder)
    const other = await timeOf('bash', ['-c', shell, 'bash', there, url])
    const own = await timeOf(process.execPath, [program, here, url, sha512], here)
    const node = await timeOf(process.execPath, ['-e', '0'])
    for (const folder of [here, there]) rmSync(folder, {recursive: true})
    if (round === 0) continue
    times.node.push(node.ms)
    times.own.push(own.ms)
    times.theirs.push(other.ms)
    memory.push(Number(own.text) / 1024)
  }

  server.close()
  const [baseline, mine] = [median(times.theirs), median(times.own)]
  const megabytes = Object.values(SIZES).reduce((sum, size) => sum + size, 0)
  console.log(`archive of ${(statSync(archive).size / 1e6).toFixed(0)} MB, four programs of ${megabytes} MB`)
  console.log(`curl | tee >(sha512sum) | ${unpacker}; sync  ${baseline.toFixed(0).padStart(6)} ms`)
  console.log(`fetch, verify, unpack      ${mine.toFixed(0).padStart(6)} ms  x${(mine / baseline).toFixed(2)}`)
  console.log(`  of which node -e 0       ${median(times.node).toFixed(0).padStart(6)} ms`)
  console.log(
    `  memory, at most          ${Math.max(...memory)
      .toFixed(0)
      .padStart(6)} MB`,
  )
} finally {
  rmSync(dir, {force: true, recursive: true})
}
