// k8s-win pause: parse, write the record, print.
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {exitCodes} from '../cli/exit-codes.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'
import {PAUSE_EXIT, printPause} from '../cli/run/pause-command.js'
import {parsedFlag, pauseLength} from '../config/options/parse-option.js'
import {pauseWatch} from '../runs/watch/pause.js'

export default class Pause extends Command {
  static override description = `Makes the service k8s-win (setup --watch) repair nothing on this node until "k8s-win resume", or for the time of --for: on patch days, or while you work on the node by hand. The service continues to check the node and to report what it finds. A repair in progress stops at its next safe point, and pause waits for that for up to a minute. A pause that is repeated begins anew.

Services of the node that end are still restarted by Windows and by shawl. "k8s-win status" shows the pause, and the pause outlives restarts of Windows.

${exitCodes([0, 'paused'], 1, [2, 'invalid command line'], PAUSE_EXIT, [5, 'the record could not be written'], [9, 'there is no node in this base directory'], [130, 'interrupted while it waited for a repair; the node is paused'])}`

  static override examples = [
    {command: '<%= config.bin %> pause --for 2h', description: 'Repair nothing for two hours'},
    {command: '<%= config.bin %> pause', description: 'Repair nothing until "k8s-win resume"'},
  ]

  static override flags = {
    for: Flags.string({
      helpValue: '<duration>',
      summary: 'How long: 30m, 2h; at most 720h. Default: until "k8s-win resume".',
    }),
    ...nodeFlags,
  }

  static override summary = 'Let the service k8s-win repair nothing for a while.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(Pause)
    const forMs = flags.for === undefined ? undefined : parsedFlag('for', flags.for, pauseLength)
    return printPause(flags, this.config.root, (request) =>
      pauseWatch({...request, ...(forMs !== undefined && {forMs})}),
    )
  }
}
