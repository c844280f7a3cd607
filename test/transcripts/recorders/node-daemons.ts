// kubelet.exe and kube-proxy.exe as real Windows processes in Wine: what they refuse, and the logs they leave.
import {mkdir, readdir, readFile, rm} from 'node:fs/promises'
import path from 'node:path'
import {type LabMachine, openLab} from '../../lab/lab.js'
import {type DaemonStart, FILES, KUBE_PROXY_STARTS, KUBELET_STARTS, PROGRAMS} from '../questions/node-daemons.js'
import {type Heard, type Replacement, saveGroup} from '../sink.js'
import {typed} from './in-lab.js'
import {buildKubernetes, KUBERNETES_SOURCE} from './kubernetes-programs.js'

/** Longer than any of them lives here. */
const TIMEOUT_MS = 60_000
/** Hundreds of lines each. */
const REPLACEMENTS: readonly Replacement[] = [
  {
    by: '$1',
    pattern: /^((?:Error: [^\n]*\n)?Usage:\n {2}[^\n]*\n)\nFlags:\n(?:(?!F\d{4} )[^\n]*\n)*/g,
    told: 'the list of all flags with a refusal: left out, for it is in help',
  },
  {
    by: '$1',
    pattern: /(\ngoroutine 1 \[running\]:\n(?:[^\n]+\n)+)(?:\ngoroutine \d+ \[[^\n]*\n(?:[^\n]+\n)*)+/g,
    told: 'of the stacks after a fatal line, those of other goroutines than the first: left out',
  },
]

export async function recordKubelet(): Promise<number> {
  const {'kubelet.exe': kubelet} = await buildKubernetes(['kubelet.exe'])
  return record('kubelet', PROGRAMS.KUBELET, kubelet, KUBELET_STARTS)
}

export async function recordKubeProxy(): Promise<number> {
  const {'kube-proxy.exe': kubeProxy} = await buildKubernetes(['kube-proxy.exe'])
  return record('kube-proxy', PROGRAMS.KUBE_PROXY, kubeProxy, KUBE_PROXY_STARTS)
}

async function record(name: string, program: string, file: string, starts: readonly DaemonStart[]): Promise<number> {
  const lab = await openLab()
  const heard: Heard[] = []
  try {
    const machine = await lab.machine()
    await machine.write(program, await readFile(file))
    for (const [where, content] of Object.entries(FILES)) await machine.write(where, content)
    for (const start of starts) heard.push(...(await recordStart(machine, program, start)))
  } finally {
    await lab.close()
  }

  const source = `${KUBERNETES_SOURCE} for Windows; run in Wine 10`
  await saveGroup({name, program: `${name}.exe 1.20.2`, replacements: REPLACEMENTS, source}, heard)
  return heard.length
}

async function recordStart(machine: LabMachine, program: string, {args, logs, name}: DaemonStart): Promise<Heard[]> {
  const folder = logs === undefined ? undefined : machine.path(logs)
  if (folder !== undefined) {
    await rm(folder, {force: true, recursive: true})
    await mkdir(folder, {recursive: true})
  }

  const ended = await machine.run({args, program, timeoutMs: TIMEOUT_MS})
  const asked = typed({args, program})
  const parts = {err: Buffer.from(ended.stderr), out: Buffer.from(ended.stdout)}
  if (folder === undefined) return [{asked, exitCode: ended.code, name, parts}]
  const files = (await readdir(folder)).sort()
  const info = files.find((file) => file.includes('.log.INFO.'))
  const log = info === undefined ? Buffer.alloc(0) : await readFile(path.join(folder, info))
  const names: Heard = {asked: `the names of the files in ${logs} after ${asked}`, name: 'log-names', parts: {}}
  const isOurs = name === 'our-command-line'
  return [
    {asked, exitCode: ended.code, name, parts: {...parts, log}},
    ...(isOurs ? [{...names, parts: {out: Buffer.from(`${files.join('\n')}\n`)}}] : []),
  ]
}
