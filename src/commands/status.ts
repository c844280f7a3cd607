// k8s-win status: parse, look, print.
import {Command, Flags} from '@oclif/core'
import {chooseMachine} from '../cli/choose-machine.js'
import {nodeFlags, OUTPUT_FORMATS} from '../cli/flag-table.js'
import {commandTyper} from '../cli/next-commands.js'
import {watchSignals} from '../cli/signals.js'
import {parseDuration} from '../config/duration.js'
import {badValue} from '../errors/input.js'
import {openRealClock} from '../machine/real/clock.js'
import {toUserError, InterruptedError} from '../pipeline/run/to-user-error.js'

const FORMATS = [...OUTPUT_FORMATS, 'wide'] as const

export default class Status extends Command {
  static override description = `Looks at the node from all sides at once: the node in the cluster, the credentials, Docker, the three services and their health addresses, the overlay network, the firewall, every program's digest, the images, and whether anything differs from what setup left. For everything that is not right it says what is seen, what is wanted, the likely cause and what to do next. Nothing is changed, and no lock is taken.

What cannot be looked at (no answer in time, no administrator, no cluster) is told as such, and never hides the rest. --watch looks again and again: on a terminal the screen is redrawn, elsewhere each look is a line of JSON. Ctrl-C ends it with the exit code of the last look.

Exit codes:
0: healthy: everything was checked and is as setup left it
2: wrong command line
3: this is not Windows, and no simulated one was asked for
5: the output could not be written
8: degraded: something is not right; or unknown: no problem was found, but something could not be checked
9: not set up: there is no node in this base directory
130: interrupted before the first look was done`

  static override examples = [
    {command: '<%= config.bin %> status', description: 'Is this node well?'},
    {
      command: String.raw`<%= config.bin %> status -BaseDir d:\k -Output wide`,
      description: 'A node in another folder, with every file, image and step',
    },
    {command: '<%= config.bin %> status --json', description: 'One JSON document (schemas/status.schema.json)'},
    {command: '<%= config.bin %> status --watch --interval 10s', description: 'Look again every ten seconds'},
  ]

  static override flags = {
    watch: Flags.boolean({summary: 'Look again and again, until Ctrl-C.'}),
    interval: Flags.string({
      defaultHelp: async () => Promise.resolve('5s'),
      helpValue: '<duration>',
      summary: 'The pause between two looks of --watch: 5s, 1m.',
    }),
    ...nodeFlags,
    output: Flags.option({options: FORMATS})({
      defaultHelp: async () => Promise.resolve('text'),
      helpGroup: 'GLOBAL',
      helpValue: '<format>',
      summary: 'Text for people, with more columns (wide), one JSON document, or one JSON document a line.',
    }),
  }

  static override summary = 'Tell how this node is, and what to do about what is wrong.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(Status)
    const intervalMs = intervalOf(flags.interval, flags.watch)
    const {output, ...global} = flags
    const format = output ?? (flags.json ? 'json' : 'text')
    const choose = () => chooseMachine(global, process.platform, true)
    const first = await choose()
    const [{runStatus}, {watchStatus}, {statusView}, {redactor}, {openAssets}] = await Promise.all([
      import('../runs/status/status.js'),
      import('../runs/status/status.js'),
      import('../output/status/status-view.js'),
      import('../cli/redactor.js'),
      import('../machine/real/assets.js'),
    ])
    const {env: environment, platform, stdout} = process
    const show = statusView({environment, format, platform, stdout, watch: flags.watch})
    const signals = watchSignals(process, () => {})
    // Nobody reads any more: "status --watch | head".
    const gone = new AbortController()
    const look = async ({machine} = first) =>
      runStatus({
        assets: openAssets(this.config.root),
        baseDir: flags['base-dir'],
        dockerHost: flags.simulate === undefined ? environment['DOCKER_HOST'] : undefined,
        environment,
        machine,
        redactor,
        signal: signals.signal,
        typed: commandTyper(first.called, global, platform),
      })
    try {
      if (!flags.watch) {
        const document = await look()
        show(document)
        return document.exitCode
      }
      // A simulated machine is opened anew for each look: somebody may have made it sick meanwhile. People wait in real time.
      return await watchStatus({
        clock: openRealClock(),
        intervalMs,
        look: async () => look(flags.simulate === undefined ? first : await choose()),
        onLook(document) {
          show(document)
          stdout.write('', (error) => {
            if (error) gone.abort(new InterruptedError())
          })
        },
        signal: AbortSignal.any([signals.signal, gone.signal]),
      })
    } catch (error) {
      // Ctrl-C; whatever else is no error of ours is a bug.
      throw toUserError(error, 'Look at the node') ?? error
    } finally {
      signals.close()
    }
  }
}

function intervalOf(given: string | undefined, isWatch: boolean): number {
  const text = given ?? '5s'
  const ms = parseDuration(text)
  if (given !== undefined && !isWatch) {
    const reason = 'It is the pause between two looks of --watch, and there is no --watch.'
    throw badValue({flag: 'interval', reason, value: text, wanted: 'together with --watch', where: '--interval'})
  }
  if (ms !== undefined) return ms
  const wanted = 'a pause such as 5s or 1m, from 1s to 24h'
  throw badValue({flag: 'interval', reason: 'It is no duration.', value: text, wanted, where: '--interval'})
}
