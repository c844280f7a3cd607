// The rehearsal of user data: its launcher, by its published rules, runs the script on a simulated Windows through restarts,
// and the script runs setup. Steps never know that they are rehearsed.
import {restartRequired} from '../../errors/restart.js'
import {isServiceActive} from '../detach/run-service.js'
import {
  type EndedProgram,
  type ProgramRequest,
  type RehearsedHost,
  runOwnProgram,
  runService,
  type Variables,
} from './rehearsed-program.js'
import {starterOf} from './clouds.js'
import type {UserdataDocument} from './userdata.js'

/** k8s-win.exe, in one run of the script or as the service that continues it. `exitCode`: as docs/exit-codes.md lists them. */
export type RehearsedSetup = Pick<EndedProgram, 'changed' | 'errors' | 'exitCode' | 'isReady'>

export interface RehearsedRun {
  readonly by: 'k8s-win-run' | 'launcher'
  /** What the launcher or the service manager gets. */
  readonly exitCode: number
  /** What the script itself prints. */
  readonly output: readonly string[]
  /** Absent where the script did not start k8s-win.exe. */
  readonly setup?: RehearsedSetup
}

/** One start of Windows. */
export interface RehearsedStart {
  /** What the launcher makes of it so far. */
  readonly belief: 'done' | 'failed' | 'unfinished'
  /** Who restarts Windows after it; `later`: whoever does so for another reason. */
  readonly restart?: 'k8s-win' | 'later' | 'launcher'
  readonly runs: readonly RehearsedRun[]
}

export interface Rehearsal extends Pick<UserdataDocument, 'cloud' | 'format' | 'launcher'> {
  /** What the launcher reports in the end. */
  readonly belief: RehearsedStart['belief']
  /** 0: the node is Ready. Otherwise that of the last run of setup. */
  readonly exitCode: number
  readonly isReady: boolean
  readonly starts: readonly RehearsedStart[]
}

/** `userdata --rehearse`: --output json and ndjson. */
export interface RehearsalDocument extends Rehearsal {
  readonly schemaVersion: 1
  readonly simulated: true
}

export interface RehearsalRequest extends ProgramRequest {
  readonly document: UserdataDocument
  /** The simulated host, as it is after a start of Windows. */
  readonly open: () => Promise<RehearsedHost>
}

/** As DOWNLOAD_FAILED: what ends before k8s-win.exe runs. */
const NOT_FETCHED = 4
/** More than the caps of all launchers and of k8s-win allow. */
const MOST_STARTS = 10

export async function rehearse(request: RehearsalRequest): Promise<Rehearsal> {
  const {cloud, format, launcher, userdata} = request.document
  const {runTaken, takeUserdata} = await import('../../simulator/index.js')
  const taken = takeUserdata(starterOf(cloud, launcher), userdata)
  const {everyStart = false, react} = taken.emulator
  const starts: RehearsedStart[] = []
  let reaction: ReturnType<typeof react> = {belief: 'unfinished', restarts: false}
  let restarts = 0
  let last: EndedProgram | undefined
  do {
    if (starts.length === MOST_STARTS) throw new Error('the rehearsal does not end')
    const host = await request.open()
    const {machine} = host
    const ended: EndedProgram[] = []
    const own = async (argv: readonly string[], variables: Variables): Promise<number> => {
      const program = await runOwnProgram(request, host, argv, variables)
      ended.push(program)
      return program.code
    }
    const runs: RehearsedRun[] = []
    if (await isServiceActive(machine)) {
      const exitCode = await runService(machine, own)
      runs.push({by: 'k8s-win-run', exitCode, output: [], ...setupIn(ended)})
    }
    if (everyStart || reaction.belief === 'unfinished') {
      const output: string[] = []
      const before = ended.length
      const exitCode = await runTaken(taken, {machine, own, print: (line) => void output.push(line)})
      runs.push({by: 'launcher', exitCode, output, ...setupIn(ended.slice(before))})
      reaction = react(exitCode, restarts)
    } else reaction = {...reaction, restarts: false}
    last = ended.at(-1) ?? last
    // Until two starts end alike: at every start the next one would, too, and without setup nothing counts the tries.
    const isAlike = codeOf(starts.at(-1)) === runs.at(-1)?.exitCode
    // If setup requires a restart that neither the launcher nor k8s-win performs, the rehearsal performs none either.
    const isDue = ended.at(-1)?.exitCode === restartRequired.exitCode
    const isAgain = everyStart ? !isAlike : reaction.belief === 'unfinished' && (ended.length > 0 || !isAlike)
    const isLater = isAgain && !isDue
    const isOwn = ended.some(({restartsIn}) => restartsIn !== undefined)
    const restart = isOwn ? 'k8s-win' : reaction.restarts ? 'launcher' : isLater ? 'later' : undefined
    if (reaction.restarts) restarts++
    if (restart !== undefined && !isOwn) await machine.win32.restartWindows('Restart of the rehearsal', 0)
    starts.push({belief: reaction.belief, ...(restart && {restart}), runs})
  } while (starts.at(-1)?.restart !== undefined && !request.signal.aborted)
  request.signal.throwIfAborted()

  const isReady = last?.isReady ?? false
  const exitCode = isReady ? 0 : (last?.exitCode ?? NOT_FETCHED)
  return {belief: reaction.belief, cloud, exitCode, format, isReady, launcher, starts}
}

const codeOf = (start: RehearsedStart | undefined): number | undefined => start?.runs.at(-1)?.exitCode

function setupIn(ended: readonly EndedProgram[]): Pick<RehearsedRun, 'setup'> {
  const last = ended.at(-1)
  if (!last) return {}
  const {changed, errors, exitCode, isReady} = last
  return {setup: {changed, errors, exitCode, isReady}}
}
