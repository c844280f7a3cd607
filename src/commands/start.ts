// k8s-win start: parse, run, return the exit code.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {changeDaemons, DAEMON_HELP} from '../cli/run/daemons-command.js'
import {exitCodes} from '../cli/exit-codes.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'

const REFUSED =
  'the host does not qualify (no administrator, an unfinished setup, upgrade or reset, a copy of the node), or the container runtime was there before setup; nothing was changed'

export default class Start extends Command {
  static override args = {daemon: Args.string({description: DAEMON_HELP})}

  static override description = `Starts the daemons of this node: the kubelet, flanneld and kube-proxy, in this order, or the one that is named, and waits until they are healthy. When all that "k8s-win stop" has stopped runs again, its pause of the service k8s-win (setup --watch) ends, and the node is uncordoned if stop has cordoned it. A pause of "k8s-win pause", and a node that was cordoned before, stay as they are.

It starts services as they are registered. "k8s-win recover" also repairs what was changed.

${exitCodes([0, 'running, or nothing to do'], 1, [2, 'invalid command line'], [3, REFUSED], [5, 'an operation on Windows failed'], [6, 'a daemon did not become healthy in time'], [9, 'there is no node in this base directory'], 11, 130)}`

  static override examples = [
    {command: '<%= config.bin %> start', description: 'All that is stopped, and end the pause'},
    {command: '<%= config.bin %> start flanneld', description: 'Only flanneld'},
  ]

  static override flags = nodeFlags

  static override strict = false

  static override summary = 'Start the daemons of this node.'

  static override usage = '<%= command.id %> [DAEMON] [FLAGS]'

  override async run(): Promise<number> {
    return changeDaemons('start', await this.parse(Start), this.config.root)
  }
}
