// The record of a run that has not succeeded: the marker for people and tools where an exit code cannot say it
// (cloudbase-init takes every failure for done, the end of a killed process too), and the count of tries and restarts, which
// outlives a restart.
import {win32 as windowsPath} from 'node:path'
import {type Launcher, LAUNCHERS} from '../../config/launchers.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import type {Machine} from '../../machine/machine.js'
import {systemRoot} from '../../machine/system-program.js'
import {at, parseJson, textAt} from '../document.js'
import {keyOf} from '../security/known-paths.js'
import {ADMINISTRATORS_ONLY, ADMINISTRATORS_ONLY_FILE} from '../security/security.js'
import {openTrust, trustedFilesOf} from '../security/trust.js'

/** Tries of a run that fails for a transient reason: the last of them is reported as a failure. */
export const MOST_ATTEMPTS = 3
/** EC2Launch v2 restarts Windows at most 5 times per task; another 4th restart would not help either. */
export const MOST_RESTARTS = 3

/** `unfinished` from the beginning of a run until its end: what a run that was killed leaves. */
const OUTCOMES = ['failed', 'interrupted', 'restart-required', 'unfinished'] as const

export interface LauncherRecord {
  /** When it was written: ISO 8601, in UTC. */
  readonly at: string
  /** Runs that ended with a transient failure, or did not report their end. */
  readonly attempts: number
  readonly baseDir: string
  readonly command: string
  /** Of the catalogue of errors. */
  readonly error: string
  /** As docs/exit-codes.md lists them, whatever the launcher got. */
  readonly exitCode: number
  readonly launcher: Launcher
  readonly outcome: (typeof OUTCOMES)[number]
  /** Restarts of Windows that were requested, or begun. */
  readonly restarts: number
  readonly schemaVersion: 1
}

type RecordMachine = Pick<Machine, 'clock' | 'files' | 'win32'>

/** On the drive of Windows: the base directory may not exist yet, and reset removes it. */
async function folderOf({win32: calls}: Pick<RecordMachine, 'win32'>): Promise<string> {
  return windowsPath.join((await systemRoot(calls)).slice(0, 2), '\\ProgramData', 'k8s-win')
}

export const recordPath = async (machine: Pick<RecordMachine, 'win32'>): Promise<string> =>
  windowsPath.join(await folderOf(machine), 'launcher.json')

/** Undefined where there is none, or none that can be believed: then nothing was counted. */
export async function readLauncherRecord(
  machine: Pick<RecordMachine, 'files' | 'win32'>,
): Promise<LauncherRecord | undefined> {
  const path = await recordPath(machine)
  // Every user may create folders in ProgramData: a record that another account can write could stop or repeat restarts.
  if (await openTrust(machine.win32).problem(windowsPath.dirname(path), 'folder')) return undefined
  const content = await trustedFilesOf(machine)
    .read(path)
    .catch(() => undefined)
  return content && checked(parseJson(content.toString('utf8')))
}

/** Why the record cannot be kept: another account could replace it, and without a count nothing ends a row of restarts. */
export const recordProblem = async (machine: Pick<RecordMachine, 'win32'>): Promise<K8sWinError | undefined> =>
  openTrust(machine.win32).problem(await folderOf(machine), 'folder')

/** False where it could not be written: then the run is not counted. */
export async function writeRecord(machine: RecordMachine, record: LauncherRecord): Promise<boolean> {
  const path = await recordPath(machine)
  const folder = windowsPath.dirname(path)
  const {files, win32: calls} = machine
  const isOpen = async (): Promise<boolean> => (await openTrust(calls).problem(folder, 'folder')) !== undefined
  try {
    if (await isOpen()) return false
    await files.makeDirectory(folder, {security: ADMINISTRATORS_ONLY})
    // Another account may have created it between the two.
    if (await isOpen()) return false
    await files.write(path, `${JSON.stringify(record, undefined, 2)}\n`, {sddl: ADMINISTRATORS_ONLY_FILE})
    return true
  } catch {
    return false
  }
}

/** With its folder, if nothing else is in it. What another account made there stays. */
export async function removeRecord(machine: Pick<RecordMachine, 'files' | 'win32'>): Promise<void> {
  const path = await recordPath(machine)
  const folder = windowsPath.dirname(path)
  const {files, win32: calls} = machine
  if (await openTrust(calls).problem(folder, 'folder')) return
  if (!(await files.status(folder))) return
  await files.remove(path)
  await files.removeEmpty(folder)
}

/** Tries are counted per command and node. Restarts are not: two commands that alternate must not restart Windows for ever. */
export function isSameRun(
  one: Pick<LauncherRecord, 'baseDir' | 'command'>,
  other: Pick<LauncherRecord, 'baseDir' | 'command'>,
): boolean {
  // A run that failed before it knew its base directory has none.
  const isSamePlace = one.baseDir === '' || other.baseDir === '' || keyOf(one.baseDir) === keyOf(other.baseDir)
  return one.command === other.command && isSamePlace
}

/** Undefined for what k8s-win would not write. */
function checked(value: unknown): LauncherRecord | undefined {
  const count = (key: string): number | undefined => {
    const found = at(value, key)
    return typeof found === 'number' && Number.isInteger(found) && found >= 0 && found <= 1_000_000 ? found : undefined
  }
  const text = (key: string): string => textAt(value, key).slice(0, LONGEST_TEXT)
  const [attempts, exitCode, restarts] = [count('attempts'), count('exitCode'), count('restarts')]
  const launcher = LAUNCHERS.find((name) => name === text('launcher'))
  const outcome = OUTCOMES.find((name) => name === text('outcome'))
  if (at(value, 'schemaVersion') !== 1 || !launcher || !outcome) return undefined
  if (attempts === undefined || exitCode === undefined || restarts === undefined) return undefined
  const [time, baseDir, command, error] = [text('at'), text('baseDir'), text('command'), text('error')]
  if (!TIME.test(time)) return undefined
  return {at: time, attempts, baseDir, command, error, exitCode, launcher, outcome, restarts, schemaVersion: 1}
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
/** Longer than any path that Windows takes by default. */
const LONGEST_TEXT = 300
