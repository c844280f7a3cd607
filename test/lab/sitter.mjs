// A process of its own that outlives whoever started the engine: when its standard input ends, for whatever reason,
// it ends the programs of the folder it is given, unmounts what they mounted there, and removes the folder.
// Plain JavaScript: it starts in no time, and needs nothing that could go away with its starter.
import {execFileSync} from 'node:child_process'
import {existsSync, readdirSync, readFileSync, rmdirSync, rmSync} from 'node:fs'
import {basename, join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'

const GRACE_MS = 15_000
const CGROUPS = '/sys/fs/cgroup'
const PROGRAMS =
  /^(?:dockerd|docker-registry|containerd|containerd-shim.*|runc|etcd|kube-apiserver|kube-controller-manager|kubelet)$/u

/** The programs that name the folder in their arguments, the shims of containers among them, and what runs in containers. */
function programsOf(folder) {
  const isOurs = (pid) => {
    const [program, ...args] = textOf(`/proc/${pid}/cmdline`).split('\0')
    return PROGRAMS.test(basename(program)) && args.some((argument) => argument.includes(folder))
  }
  const isContained = (pid) => textOf(`/proc/${pid}/cgroup`).includes(basename(folder))
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name))
  return pids.filter((pid) => isOurs(pid) || isContained(pid)).map(Number)
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended by itself.
    }
  }
}

/** The deepest first. */
function mountsUnder(folder) {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .map((point) => point.replaceAll(/\\(\d{3})/gu, (_, code) => String.fromCharCode(Number.parseInt(code, 8))))
  return points.filter((point) => point.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)
}

/** The control groups of the containers, in every hierarchy, the deepest first. */
function groupsOf(name) {
  const roots = ['', ...readdirSync(CGROUPS)].map((hierarchy) => join(CGROUPS, hierarchy, name)).filter(existsSync)
  const inside = (folder) =>
    readdirSync(folder, {withFileTypes: true})
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => inside(join(folder, entry.name)))
      .concat(folder)
  return roots.flatMap(inside)
}

async function ended(folder, patienceMs) {
  const until = Date.now() + patienceMs
  while (programsOf(folder).length > 0 && Date.now() < until) await delay(20)
}

async function tidy(folder) {
  signal(programsOf(folder), 'SIGTERM')
  await ended(folder, GRACE_MS)
  signal(programsOf(folder), 'SIGKILL')
  await ended(folder, 1000)
  for (const point of mountsUnder(folder)) execFileSync('/bin/umount', ['--lazy', point])
  for (const group of groupsOf(basename(folder))) rmdirSync(group)
  rmSync(folder, {force: true, maxRetries: 10, recursive: true, retryDelay: 100})
}

const [, , folder = ''] = process.argv
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(name, () => process.stdin.destroy())
process.stdin.resume().once('close', () => void tidy(folder))
