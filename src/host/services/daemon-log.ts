// What the logs of a daemon show: why it ended, and how often it was started again.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'
import {hasStarted} from '../../signatures/index.js'
import type {Trust} from '../security/trust.js'

/** Logs grow to gigabytes; a fatal line with the stacks of all goroutines after it fits into this. */
const LAST_BYTES = 1024 ** 2
/** As much of a line as anybody reads, and known failures are recognised by. */
const LONGEST_LINE = 4096

/** The last lines of the newest log in a folder: why a daemon died. */
export async function lastLogLines(files: Files, folder: string, count = 3): Promise<string[]> {
  let newest: {at: number; path: string; size: number} | undefined
  for (const name of await files.list(folder)) {
    const path = `${folder}\\${name}`
    const status = await files.status(path)
    if (status?.kind === 'file' && status.size > 0 && status.modifiedMs >= (newest?.at ?? 0)) {
      newest = {at: status.modifiedMs, path, size: status.size}
    }
  }

  const start = Math.max(0, (newest?.size ?? 0) - LAST_BYTES)
  const bytes = newest && (await files.readRange(newest.path, start, LAST_BYTES))?.bytes
  const lines = Buffer.from(bytes ?? [])
    .toString('utf8')
    .split(/\r?\n/)
    .map((line) => line.slice(0, LONGEST_LINE))
  return withoutStacks(lines)
    .filter((line) => line.trim() !== '')
    .slice(-count)
}

/** Go shows the stacks of all goroutines after its last words, and klog does so after a fatal line: up to its next one. */
function withoutStacks(lines: readonly string[]): string[] {
  let isStack = false
  return lines.filter((line) => {
    if (/^[DEFIW]\d{4} /.test(line)) isStack = false
    else if (/^goroutine \d{1,20} \[[^\]]{1,200}\]:$/.test(line)) isStack = true
    return !isStack
  })
}

/** klog begins a file of each severity with every start, named after the process; a large one is continued in another. */
const KLOG_FILE = /\.log\.INFO\.\d{8}-\d{6}\.(\d+)$/

/** Undefined without a log. */
export async function klogRestarts(files: Files, folder: string): Promise<number | undefined> {
  const processes = new Set((await files.list(folder)).flatMap((name) => KLOG_FILE.exec(name)?.[1] ?? []))
  return processes.size === 0 ? undefined : processes.size - 1
}

/** Of each of klog's lines, the number of its process: kube-log-runner appends those of every run to one file. */
export function* klogProcesses(text: string): Generator<string> {
  for (const [, process = ''] of text.matchAll(KLOG_PROCESS)) yield process
}

const KLOG_PROCESS = /^[DEFIW]\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}(\d{1,10}) /gm

/** As far back as the last part of the file goes; undefined without a log. */
export async function runnerRestarts(files: Files, path: string): Promise<number | undefined> {
  const {kind, size = 0} = (await files.status(path)) ?? {}
  if (kind !== 'file') return undefined
  const bytes = (await files.readRange(path, Math.max(0, size - LAST_BYTES), LAST_BYTES))?.bytes
  const text = Buffer.from(bytes ?? []).toString('utf8')
  let [count, last] = [0, '']
  for (const process of klogProcesses(text)) {
    if (process !== last) count++
    last = process
  }
  return count === 0 ? undefined : count - 1
}

/** A program that ended within a minute did not work, and one that did so three times in a row keeps ending. */
export const SHORT_LIFE_MS = 60_000
export const SHORT_LIVES = 3

export interface WrappedRun {
  /** Its exit code, where it does not run just now. */
  readonly endedWith?: number
  /** Its last exit code, where it keeps ending: it may run just now, for a moment. */
  readonly keepsEndingWith?: number
  /** Since shawl began itself; absent where its newest log does not reach back to that. */
  readonly restarts?: number
}

/** What shawl (1.3) did with its program; undefined where its newest log does not say. */
export async function wrappedRun(files: Files, folder: string, service: string): Promise<WrappedRun | undefined> {
  const text = (await files.read(win32.join(folder, `shawl_for_${service}_rCURRENT.log`)))?.toString('utf8') ?? ''
  return readWrapped(text)
}

const BEGAN = '[DEBUG] ********** LAUNCH **********'
const EVENT = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \[INFO\] (?:(Launching command)|Command exited .*?with code (-?\d+))$/

export function readWrapped(text: string): WrappedRun | undefined {
  const began = text.lastIndexOf(BEGAN)
  let [launches, shorts, launchedAt] = [0, 0, NaN]
  let endedWith: number | undefined
  let lastCode: number | undefined
  let isPastStart = false
  for (const line of text.slice(Math.max(0, began)).split(/\r?\n/)) {
    const [, time = '', launched, code] = EVENT.exec(line) ?? []
    // In whichever zone: only the difference counts.
    const at = Date.parse(`${time.replace(' ', 'T')}Z`)
    if (launched !== undefined) {
      launches += 1
      launchedAt = at
      endedWith = undefined
    } else if (code !== undefined) {
      endedWith = lastCode = Number(code)
      shorts = at - launchedAt < SHORT_LIFE_MS ? shorts + 1 : 0
      if (shorts === 0) isPastStart = false
    } else if (!isPastStart && hasStarted(line)) {
      // None of those before has come so far, as at a start of Windows before the network is there.
      isPastStart = true
      shorts = 0
    }
  }
  if (began === -1 && launches === 0 && lastCode === undefined) return undefined
  return {
    ...(endedWith !== undefined && {endedWith}),
    ...(lastCode !== undefined && shorts >= SHORT_LIVES && {keepsEndingWith: lastCode}),
    ...(began !== -1 && {restarts: Math.max(0, launches - 1)}),
  }
}

/** The files, in whose folders nothing is listed that others can have put there. */
export function trustedLogs(files: Files, trust: Trust, note: (text: string) => void): Files {
  const problems = new Map<string, Promise<boolean>>()
  const judged = new Map<string, Map<string, boolean>>()
  const isTrusted = (folder: string): Promise<boolean> => {
    const known =
      problems.get(folder) ??
      trust.problem(folder, 'folder').then((problem) => {
        if (problem) note(`${folder} is not read. ${problem.message}: ${problem.reason}`)
        return problem === undefined
      })
    problems.set(folder, known)
    return known
  }

  return {
    ...files,
    async list(folder) {
      if (!(await isTrusted(folder))) return []
      const names = await files.list(folder)
      const known = judged.get(folder) ?? new Map<string, boolean>()
      judged.set(folder, known)
      // Who follows logs asks many times a second.
      if (names.some((name) => !known.has(name))) {
        const distrusted = await trust.distrustedIn(folder)
        for (const name of names) {
          if (distrusted.has(name) && !known.has(name))
            note(`${folder}\\${name} is not read: accounts other than administrators may have created it.`)
          known.set(name, !distrusted.has(name))
        }
      }

      return names.filter((name) => known.get(name))
    },
  }
}
