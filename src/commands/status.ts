// k8s-win status: parse, check, print.
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {statusView} from '../output/status/status-view.js'
import {runStatus, watchStatus} from '../runs/status/status.js'
import {chooseMachine} from '../cli/choose-machine.js'
import {readerExitCodes} from '../cli/exit-codes.js'
import {nodeFlags, OUTPUT_FORMATS, outputFlag, outputFormat} from '../cli/arguments/flag-table.js'
import {commandSession, watchIfSimulated} from '../cli/run/run-with-view.js'
import {watchSignals} from '../cli/signals.js'
import {commandTyper} from '../cli/arguments/typed-commands.js'
import {interval, parsedFlag} from '../config/options/parse-option.js'
import {badValue} from '../errors/input.js'
import {openRealClock} from '../machine/real/clock.js'
import {toUserError, InterruptedError} from '../pipeline/run/to-user-error.js'

const DEGRADED = 'degraded: something is wrong; or unknown: no problem was found, but something could not be checked'

export default class Status extends Command {
  static override description = `Checks the node from every side: the node in the cluster, credentials, Docker, the three services and their health endpoints, the overlay network, the firewall, the digest of every program, the images, and drift from the last setup. For every problem it reports what was found, what was expected, the likely cause and what to do next. Changes nothing and takes no lock.

What cannot be checked (no answer in time, not an administrator, no cluster) is reported as such. --watch checks repeatedly until Ctrl-C, whose exit code is that of the last check; without a terminal it prints one JSON document per check.

${readerExitCodes([0, 'healthy: everything that status checks is as setup left it; it does not test the pod network'], 2, 3, 5, [8, DEGRADED], [9, 'not set up: there is no node in this base directory'], [130, 'interrupted during the first check'])}`

  static override examples = [
    {command: '<%= config.bin %> status', description: 'Check node health'},
    {
      command: String.raw`<%= config.bin %> status --base-dir d:\k --output wide`,
      description: 'A node in another folder, with every file, image and step',
    },
    {command: '<%= config.bin %> status --output json', description: 'One JSON document (schemas/status.schema.json)'},
    {command: '<%= config.bin %> status --watch --interval 10s', description: 'Check again every ten seconds'},
  ]

  static override flags = {
    watch: Flags.boolean({helpLabel: '-w, --watch', summary: 'Check repeatedly, until Ctrl-C.'}),
    interval: Flags.string({
      defaultHelp: async () => Promise.resolve('5s'),
      helpValue: '<duration>',
      summary: 'Pause between two checks of --watch: 5s, 1m.',
    }),
    ...nodeFlags,
    output: outputFlag(
      [...OUTPUT_FORMATS, 'wide'] as const,
      'Output format: text, wide (text with details), json (one document) or ndjson (one document per line).',
    ),
  }

  static override summary = 'Show the health of this node.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(Status)
    const intervalMs = intervalOf(flags.interval, flags.watch)
    const {output: _, ...global} = flags
    const {env: environment, platform, stdout} = process
    const choose = () => chooseMachine(global, platform, true)
    const first = await choose()
    const show = statusView({environment, format: outputFormat(flags), platform, stdout, watch: flags.watch})
    const signals = watchSignals(process, () => {})
    // Aborted when the reader is gone: "status --watch | head".
    const gone = new AbortController()
    const check = async (chosen = first) => {
      const session = commandSession(chosen, global, this.config.root, signals.signal)
      await watchIfSimulated(session)
      const typed = commandTyper(first.called, global, platform)
      return runStatus({...session, baseDir: flags['base-dir'], typed})
    }
    try {
      if (!flags.watch) {
        const document = await check()
        show(document)
        return document.exitCode
      }
      return await watchStatus({
        // People wait in real time.
        clock: openRealClock(),
        intervalMs,
        // A simulated machine is opened again for each check: it may have been edited meanwhile.
        check: async () => check(flags.simulate === undefined ? first : await choose()),
        onDocument(document) {
          show(document)
          stdout.write('', (error) => {
            if (error) gone.abort(new InterruptedError())
          })
        },
        signal: AbortSignal.any([signals.signal, gone.signal]),
      })
    } catch (error) {
      // Ctrl-C; any other unexpected error is a bug.
      throw toUserError(error, 'Check the node') ?? error
    } finally {
      signals.close()
    }
  }
}

function intervalOf(value: string | undefined, isWatch: boolean): number {
  if (value !== undefined && !isWatch) {
    const reason = 'It is the pause between two checks of --watch, and --watch is not given.'
    throw badValue({flag: 'interval', reason, value, wanted: 'together with --watch', where: '--interval'})
  }
  return parsedFlag('interval', value ?? '5s', interval)
}
