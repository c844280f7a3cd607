// How often a daemon's program was started again: the service manager keeps no count, its logs do.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'

/** klog begins a file of each severity with every start, named after the process; a large one goes on in another. */
const KLOG_FILE = /\.log\.INFO\.\d{8}-\d{6}\.(\d+)$/

/** Undefined where there is no log to tell. */
export async function klogRestarts(files: Files, folder: string): Promise<number | undefined> {
  const processes = new Set((await files.list(folder)).flatMap((name) => KLOG_FILE.exec(name)?.[1] ?? []))
  return processes.size === 0 ? undefined : processes.size - 1
}

export interface WrappedRun {
  /** Its exit code, where it does not run just now. */
  readonly endedWith?: number
  readonly restarts: number
}

/** What shawl (1.3) did with its program since it began itself; undefined where its newest log does not reach back to that. */
export async function wrappedRun(files: Files, folder: string, service: string): Promise<WrappedRun | undefined> {
  const text = (await files.read(win32.join(folder, `shawl_for_${service}_rCURRENT.log`)))?.toString('utf8') ?? ''
  return readWrapped(text)
}

const BEGAN = '[DEBUG] ********** LAUNCH **********'
const EVENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[INFO\] (?:(Launching command)|Command exited .*?with code (-?\d+))$/

export function readWrapped(text: string): WrappedRun | undefined {
  const began = text.lastIndexOf(BEGAN)
  if (began === -1) return undefined
  let launches = 0
  let endedWith: number | undefined
  for (const line of text.slice(began).split(/\r?\n/)) {
    const [, launched, code] = EVENT.exec(line) ?? []
    if (launched !== undefined) {
      launches += 1
      endedWith = undefined
    } else if (code !== undefined) endedWith = Number(code)
  }

  return {...(endedWith === undefined ? {} : {endedWith}), restarts: Math.max(0, launches - 1)}
}
