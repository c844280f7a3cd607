// k8s-win stop: parse, run, return the exit code.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {changeDaemons, DAEMON_HELP, YES_FLAG} from '../cli/run/daemons-command.js'
import {exitCodes} from '../cli/exit-codes.js'
import {drainFlags, nodeFlags} from '../cli/arguments/flag-table.js'

const REFUSED =
  'the host does not qualify (no administrator, an unfinished setup, upgrade or reset, a copy of the node), the container runtime was there before setup, or pods would be lost (--yes); nothing was changed'

export default class Stop extends Command {
  static override args = {daemon: Args.string({description: DAEMON_HELP})}

  static override description = `Stops the daemons of this node: kube-proxy, flanneld and the kubelet, in this order, or the one that is named. Containers continue to run. The service k8s-win (setup --watch) repairs nothing until "k8s-win start", also over restarts of Windows, and "k8s-win status" says so. The services stay registered, and start with Windows: a restart of Windows starts the daemons again.

With --drain the node is cordoned before and its pods are evicted; "k8s-win start" uncordons it. containerd is stopped only by its name, and where pods run only with --yes, because they end with it; Docker, and a containerd that was there before setup, are not stopped.

${exitCodes([0, 'stopped, or nothing to do'], 1, [2, 'invalid command line'], [3, REFUSED], [5, 'an operation on Windows failed'], [6, "pods did not terminate in time (--drain), or the run took longer than setup's --timeout"], [9, 'there is no node in this base directory'], 11, 130)}`

  static override examples = [
    {
      command: '<%= config.bin %> stop --drain',
      description: 'Before patches: evict the pods, then stop the kubelet, flanneld and kube-proxy',
    },
    {command: '<%= config.bin %> stop kubelet', description: 'Only the kubelet'},
  ]

  static override flags = {...drainFlags, yes: YES_FLAG, ...nodeFlags}

  static override strict = false

  static override summary = 'Stop the daemons of this node, until they are started.'

  static override usage = '<%= command.id %> [DAEMON] [FLAGS]'

  override async run(): Promise<number> {
    return changeDaemons('stop', await this.parse(Stop), this.config.root)
  }
}
