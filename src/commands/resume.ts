// k8s-win resume: parse, remove the record of pause, print.
import {Command} from '@oclif/core/command'
import {exitCodes} from '../cli/exit-codes.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'
import {PAUSE_EXIT, printPause} from '../cli/run/pause-command.js'
import {resumeWatch} from '../runs/watch/pause.js'

export default class Resume extends Command {
  static override description = `Ends a pause: the service k8s-win (setup --watch) repairs this node again. Does nothing if it is not paused. A pause of "k8s-win stop" ends with "k8s-win start" instead.

${exitCodes([0, 'resumed, or not paused'], 1, [2, 'invalid command line'], [3, `${PAUSE_EXIT[1]}; or daemons were stopped by "k8s-win stop"`], [5, 'the record could not be removed'], [9, 'there is no node in this base directory'])}`

  static override examples = [{command: '<%= config.bin %> resume', description: 'End a pause'}]

  static override flags = nodeFlags

  static override summary = 'End a pause: the service k8s-win repairs the node again.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(Resume)
    return printPause(flags, this.config.root, resumeWatch)
  }
}
