// k8s-win restart: parse, run, return the exit code.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {changeDaemons, DAEMON_HELP, YES_FLAG} from '../cli/run/daemons-command.js'
import {exitCodes} from '../cli/exit-codes.js'
import {drainFlags, nodeFlags} from '../cli/arguments/flag-table.js'

const REFUSED =
  'the host does not qualify (no administrator, an unfinished setup, upgrade or reset, a copy of the node), the container runtime was there before setup, or pods would be lost (--yes); nothing was changed'

export default class Restart extends Command {
  static override args = {daemon: Args.string({description: DAEMON_HELP})}

  static override description = `Stops the daemons of this node, and starts them again: kube-proxy, flanneld and the kubelet, or the one that is named. It waits until they are healthy. What "k8s-win stop" has stopped of them runs again, too.

With --drain the node is cordoned before, its pods are evicted, and it is uncordoned at the end. containerd is restarted only by its name, and where pods run only with --yes, because they end with it; Docker, and a containerd that was there before setup, are not restarted.

${exitCodes([0, 'running, or nothing to do'], 1, [2, 'invalid command line'], [3, REFUSED], [5, 'an operation on Windows failed'], [6, 'pods did not terminate in time (--drain), or a daemon did not become healthy in time'], [9, 'there is no node in this base directory'], 11, 130)}`

  static override examples = [
    {command: '<%= config.bin %> restart kubeproxy', description: 'Only kube-proxy'},
    {
      command: '<%= config.bin %> restart containerd --yes',
      description: 'containerd: the pods of this node end, and start again',
    },
  ]

  static override flags = {...drainFlags, yes: YES_FLAG, ...nodeFlags}

  static override strict = false

  static override summary = 'Restart the daemons of this node.'

  static override usage = '<%= command.id %> [DAEMON] [FLAGS]'

  override async run(): Promise<number> {
    return changeDaemons('restart', await this.parse(Restart), this.config.root)
  }
}
