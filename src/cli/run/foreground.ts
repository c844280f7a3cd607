// k8s-win run, from its parsed command line: in the foreground, or printed.
import {cmdLines, powershellLines} from '../../components/foreground.js'
import {DAEMON, type DaemonService} from '../../config/daemons.js'
import type {ForegroundDocument} from '../../output/text/foreground-text.js'
import {foregroundLines} from '../../output/text/foreground-text.js'
import {redactAll} from '../../output/text/redact.js'
import {toUserError} from '../../pipeline/run/to-user-error.js'
import {printedCommand} from '../../runs/daemons/foreground-command.js'
import {runDaemon} from '../../runs/daemons/run-daemon.js'
import {chooseMachine} from '../choose-machine.js'
import {type GlobalFlags, outputFormat} from '../arguments/flag-table.js'
import {print} from '../print.js'
import {runWithView, withSession} from './run-with-view.js'
import {commandTyper} from '../arguments/typed-commands.js'

interface Asked {
  readonly daemon: DaemonService
  /** After `--`. */
  readonly extra: readonly string[]
  readonly flags: GlobalFlags & {readonly 'base-dir'?: string | undefined; readonly yes: boolean}
  readonly packageRoot: string
}

/** Returns the exit code. */
export async function printForeground({daemon, extra, flags, packageRoot}: Asked): Promise<number> {
  const chosen = await chooseMachine(flags, process.platform, true)
  return withSession(chosen, flags, packageRoot, async (session) => {
    const command = await printedCommand({...session, baseDir: flags['base-dir']}, daemon, extra)
    const document: ForegroundDocument = redactAll(
      {
        ...command,
        cmd: cmdLines(command),
        command: 'run',
        daemon: DAEMON[daemon].program,
        powershell: powershellLines(command),
        schemaVersion: 1,
        simulated: session.machine.simulated,
      },
      session.redactor.redact,
    )
    return print(flags, foregroundLines(document), document)
  }).catch((error: unknown) => {
    throw toUserError(error, 'Read the command') ?? error
  })
}

/** Returns the exit code. */
export async function runForeground({daemon, extra, flags, packageRoot}: Asked): Promise<number> {
  const {'base-dir': baseDir, yes} = flags
  // A daemon runs until Ctrl-C: where time jumped, it would run through years.
  const chosen = await chooseMachine({'simulate-speed': flags.simulate && '1', ...flags}, process.platform)
  const next = [commandTyper(chosen.called, flags, process.platform)('status', baseDir)]
  const isDocument = outputFormat(flags) !== 'text'
  const onOutput = (chunk: Uint8Array, stream: 'stderr' | 'stdout'): void =>
    void process[isDocument ? 'stderr' : stream].write(chunk)
  // Between the lines of the daemon nothing may move.
  return runWithView({baseDir, chosen, flags: {...flags, quiet: true}, next, packageRoot}, (parts) => {
    parts.bus.listen((event) => {
      if (event.type === 'log' && !isDocument) process.stderr.write(`${parts.redactor.redact(event.message)}\n`)
    })
    return runDaemon({...parts, baseDir, daemon, extra, onOutput, yes})
  })
}
