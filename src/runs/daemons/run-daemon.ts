// run: a daemon in the foreground of this console, in place of its service, which runs again afterwards. A list of phases.
// While it runs the lock is held; where this process is killed, watch or the next command finds the record and starts the
// service.
import {cmdLines, flagName, flagsIn, type ForegroundCommand} from '../../components/foreground.js'
import {DAEMON, type DaemonService} from '../../config/daemons.js'
import {FLANNELD} from '../../config/model.js'
import {daemonExited} from '../../errors/daemons.js'
import {K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import type {Foreground} from '../../machine/run.js'
import {demandFlanneldFlags} from '../../pipeline/desired/programs/flanneld-flags.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {repairJournal} from '../recover/check-node.js'
import {limitTime, type Phase, runPhases} from '../run.js'
import {runWithRecords} from '../run-lifecycle.js'
import {tellingContext} from '../phases/apply.js'
import {
  announce,
  type DaemonsInput,
  type DaemonsRun,
  demandPodsMayLeave,
  READ_NODE,
  startDaemons,
  stopDaemons,
} from './change-daemons.js'
import {foregroundCommand, WHERE} from './foreground-command.js'
import {stoppedOn} from './stopped.js'

const COMMAND = 'run'
/** As long as a user debugs: as much as a timer can be set to. */
const LONGEST_RUN_MS = 2 ** 31 - 1
/** Between Ctrl-C and the end of its process; shawl waits as long. */
const GRACE_MS = 4000
/** For the service to run again, after Ctrl-C too. */
const RESTORE_MS = 15 * 60_000

export interface RunDaemonInput extends Omit<DaemonsInput, 'daemons' | 'drainMs'> {
  readonly daemon: DaemonService
  /** After `--`: they replace those of the service. */
  readonly extra: readonly string[]
  readonly onOutput: Foreground['onOutput']
}

interface ForegroundRun extends DaemonsRun {
  foreground: ForegroundCommand
  readonly input: DaemonsRun['input'] & RunDaemonInput
  /** By "k8s-win stop": then it stays stopped. */
  staysStopped: boolean
}

const RUN: readonly Phase<ForegroundRun>[] = [
  ...READ_NODE,
  // Refuses flags that the program does not know.
  {run: readCommand, title: 'Read the command'},
  {run: demandPodsMayLeave, title: 'Query the node'},
  {run: repairJournal, title: 'Repair the journal'},
  {run: announce, title: 'Stop the service'},
  // From here on the service is started again, however this ends.
  {endsItself: true, run: runAndRestore, title: 'Run the daemon'},
]

/** Rejects only for a bug: the document reports every other failure. */
export function runDaemon({baseDir, ...input}: RunDaemonInput): Promise<RunResultDocument> {
  const given = baseDir === undefined ? {} : {'base-dir': baseDir}
  const all = {...input, daemons: [input.daemon], given}
  return runWithRecords<ForegroundRun>(COMMAND, all, (run) => runPhases(RUN, run))
}

async function readCommand(run: ForegroundRun): Promise<void> {
  const {host, input, node: config} = run
  const stopped = await stoppedOn({config, host})
  run.staysStopped = stopped?.daemons[input.daemon] === 'stop'
  run.foreground = await foregroundCommand({config, host}, input.daemon, input.extra)
  if (input.daemon !== FLANNELD) return
  const given = Object.fromEntries(flagsIn(input.extra).map(([word = '']) => [flagName(word), '']))
  const asked = {...tellingContext(run), config: {...config, args: {...config.args, flanneld: given}}}
  await demandFlanneldFlags(asked, run.foreground.program, () => WHERE)
}

async function runAndRestore(run: ForegroundRun): Promise<void> {
  const failures: unknown[] = []
  await stopAndRun(run).catch((error: unknown) => failures.push(error))
  if (!run.staysStopped) await restore(run).catch((error: unknown) => failures.push(error))
  const [first] = failures
  const known = failures.filter((error) => error instanceof K8sWinError)
  if (known.length > 1) throw new ProblemsError(known)
  if (first !== undefined) throw first as Error
}

async function stopAndRun(run: ForegroundRun): Promise<void> {
  const {bus, foreground, input, limited} = run
  const {program, service} = DAEMON[input.daemon]
  if (!run.staysStopped) await stopDaemons(run)
  input.signal.throwIfAborted()
  for (const line of cmdLines(foreground)) bus.info(line)
  bus.warn(`${program} runs as the user of this console; the service ${service} runs as SYSTEM`)
  bus.info('Ctrl-C ends it')
  const {args, environment: env} = foreground
  const {clock} = limited.machine
  const began = clock.elapsed()
  const shown = {graceMs: GRACE_MS, onOutput: input.onOutput}
  const options = {deadlineMs: LONGEST_RUN_MS, effect: 'change', env, foreground: shown, signal: input.signal} as const
  const ended = await limited.machine.run(foreground.program, args, options).catch((error: unknown) => {
    // The user has ended it.
    if (input.signal.aborted) return undefined
    throw error
  })
  const seconds = Math.round((clock.elapsed() - began) / 1000)
  if (!ended || ended.exitCode === 0) return bus.info(`${program} ended after ${seconds} s`)
  throw daemonExited({code: String(ended.exitCode), program, service})
}

/** Ctrl-C has ended the daemon, not this; and the time of the run may be over. */
async function restore(run: ForegroundRun): Promise<void> {
  const {input, limited} = run
  // The host that has stopped the service starts again what depends on it.
  const after = {...run, input: {...input, signal: new AbortController().signal}, limited: {...limited, end() {}}}
  limitTime(after, RESTORE_MS)
  try {
    await startDaemons(after)
  } finally {
    after.limited.end()
  }
}
