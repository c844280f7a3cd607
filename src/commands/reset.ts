// k8s-win reset: parse, run, return the exit code.
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {exitCodes} from '../cli/exit-codes.js'
import {givenReset, globalFlags, nodeFlags, resetFlags} from '../cli/arguments/flag-table.js'
import {resetNode} from '../cli/run/run-reset.js'
import {COMMON_DAEMONS, inWords} from '../config/daemons.js'
import {file, parsedFlag} from '../config/options/parse-option.js'

const NOT_ALLOWED =
  'this is not Windows, you are not an administrator, or (--drain) the cluster cannot be reached or forbids it; nothing was changed on the host'

export default class Reset extends Command {
  static override description = `Stops ${inWords(COMMON_DAEMONS.toReversed())}, deletes the kubelet's containers and the node object, and removes what setup created: HNS networks, services, firewall rules, entries of PATH and KUBECONFIG, files. What setup did not create stays. Images, downloads and logs stay for the next setup; --purge removes them too, and restores the host to its state before setup.

On a terminal it lists what it will remove and prompts. Without a terminal an answer may be piped in ("echo y", "echo n"); if none arrives within 2 s, it continues, unless pods would end that no DaemonSet creates: that requires --yes or --drain. A journal records what setup created; if it is lost, reset finds things by k8s-win's marks, and requires --yes when it cannot prompt. Run it again to remove what was left.

Every flag can also be written in PowerShell style (-Purge) or set as an environment variable (K8S_WIN_PURGE). If a switch is given twice, the last one counts.

A node's own identity may not delete its node object: without --kubeconfig the command for an administrator is printed.

${exitCodes([0, 'done, nothing to do, planned (--dry-run), continued as a service (--detach), or cancelled at the prompt'], 1, [2, 'invalid command line; or reset cannot prompt, --yes is not given, and the journal is lost or pods would end'], [3, NOT_ALLOWED], [5, 'an operation on Windows failed'], [6, 'pods did not terminate in time (--drain), or --timeout expired'], [7, 'not everything could be removed; what is left is listed'], 11, 130)}`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> reset --base-dir c:\k`,
      description: 'Remove the node; keep images, downloads and logs for the next setup',
    },
    {
      command: '<%= config.bin %> reset --drain --purge --yes',
      description: 'Evict the pods first, and remove everything',
    },
    {command: '<%= config.bin %> reset --dry-run', description: 'Show what would be removed'},
    {
      command: '<%= config.bin %> reset --simulate ws2019',
      description: 'Try it on a simulated Windows Server, on any system',
    },
  ]

  static override flags = {
    'base-dir': nodeFlags['base-dir'],
    ...resetFlags,
    // Not of the environment, where setup looks for the kubeconfig of the node.
    kubeconfig: Flags.string({
      defaultHelp: async () => Promise.resolve("the node's own"),
      helpValue: '<file>',
      summary: 'Kubeconfig of an administrator, to drain the node and to delete its node object. It is not stored.',
    }),
    ...globalFlags,
  }

  static override summary = 'Remove the node and everything that setup created.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Reset)
    const {flags} = parsed
    const kubeconfig = flags.kubeconfig === undefined ? undefined : parsedFlag('kubeconfig', flags.kubeconfig, file)
    const {root: packageRoot} = this.config
    return resetNode({baseDir: flags['base-dir'], flags, given: givenReset(parsed), kubeconfig, packageRoot})
  }
}
