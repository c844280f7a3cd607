// How an assumption is held against a host: what a settler is given, what it may answer, and how that is reported.
import {K8sWinError} from '../../../../src/errors/k8s-win-error.js'
import {FileError} from '../../../../src/machine/files.js'
import {HttpError} from '../../../../src/machine/http.js'
import type {Machine} from '../../../../src/machine/machine.js'
import {Win32Error} from '../../../../src/machine/win32.js'
import type {Assumption} from './list.js'
import type {SwitchSeen} from './switch-experiment.js'

export interface SettlerContext {
  /** May services, rules and networks of the host be touched? Without it settlers read, and write below `scratch` only. */
  readonly changesAllowed: boolean
  readonly machine: Machine
  /** Where a node was set up, if one was. */
  readonly baseDir: string
  /** A folder of its own. */
  readonly scratch: string
  /** shawl.exe, as the product installs it. */
  shawl(): Promise<Buffer>
  /** A program that lives on and says nothing to the service manager. */
  readonly silentProgram: SilentProgram
  /** One experiment for several assumptions: it is made once. */
  switchSeen(): Promise<SwitchSeen>
}

export interface SilentProgram {
  readonly command: readonly string[]
  isAlive(processId: number): Promise<boolean>
  /** Its number, once it runs. */
  processId(): Promise<number | undefined>
}

export type Verdict =
  | {readonly kind: 'as assumed'; readonly seen: string}
  | {readonly assumed: string; readonly kind: 'differs'; readonly seen: string}
  | {readonly kind: 'not settled'; readonly why: string}

export type Settler = (context: SettlerContext) => Promise<Verdict>

export const asAssumed = (seen: string): Verdict => ({kind: 'as assumed', seen})
export const notSettled = (why: string): Verdict => ({kind: 'not settled', why})
export const compared = (isSame: boolean, seen: string, assumed: string): Verdict =>
  isSame ? asAssumed(seen) : {assumed, kind: 'differs', seen}

/** No program of k8s-win can find out: only why is said here, the command stands in the list of assumptions. */
export const forAPerson =
  (why: string): Settler =>
  () =>
    Promise.resolve(notSettled(why))

export const changing =
  (settler: Settler): Settler =>
  (context) =>
    context.changesAllowed ? settler(context) : Promise.resolve(notSettled('needs --yes-change-this-host'))

/** What the host refuses is an answer of the host; anything else is a mistake of the settler, and is thrown. */
export async function settle(settler: Settler, context: SettlerContext): Promise<Verdict> {
  try {
    return await settler(context)
  } catch (error) {
    const isOfTheHost = [FileError, HttpError, K8sWinError, Win32Error].some((kind) => error instanceof kind)
    if (!isOfTheHost) throw error
    const {message, reason} = error as Error & {reason?: string}
    return notSettled(reason === undefined ? message : `${message} ${reason}`)
  }
}

export function tell({id, settledBy}: Assumption, verdict: Verdict): string {
  if (verdict.kind === 'as assumed') return `${id}: as assumed (${verdict.seen})`
  if (verdict.kind === 'differs') return `${id}: DIFFERS: seen ${verdict.seen}; assumed ${verdict.assumed}`
  return `${id}: not settled: ${verdict.why}\n    for a person: ${settledBy}`
}
