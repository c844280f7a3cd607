// k8s-win reset: parse, run, return the exit code.
import {Command} from '@oclif/core'
import {resetExitCodeLines} from '../cli/exit-codes.js'
import {givenReset, globalFlags, nodeFlags, resetFlags} from '../cli/flag-table.js'
import {resetNode} from '../cli/run-reset.js'

export default class Reset extends Command {
  static override description = `Stops kube-proxy, flanneld and the kubelet, removes the kubelet's containers and the node object, and takes away what setup made: HNS networks, services, firewall rules, PATH and KUBECONFIG, files. Only that: what was there before, and what others made, stays as it is. Images, downloads and logs stay for the next setup; --purge removes them too, and the host is as it was.

On a terminal it lists what it will remove and prompts, wherever its output goes. Without one an answer may be piped in ("echo y", "echo n"); where none comes within 2 s, it proceeds. What is ours stands in a journal that setup keeps; where that is lost it is found by our marks, and then --yes is needed where nobody answers. Running it again goes on with what was left.

Every flag can be written in PowerShell's style (-Purge) and given as an environment variable (K8S_WIN_PURGE). Of a switch that is given twice the last one counts.

Exit codes:
${resetExitCodeLines()}`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> reset -BaseDir c:\k`,
      description: 'Take the node apart; keep images, downloads and logs for the next setup',
    },
    {
      command: '<%= config.bin %> reset --drain --purge --yes',
      description: 'Move its pods away first, and leave nothing behind',
    },
    {
      command: '<%= config.bin %> reset -DryRun',
      description: 'See what would be removed',
    },
    {
      command: '<%= config.bin %> reset --simulate ws2019',
      description: 'Rehearse on a simulated Windows Server, on any system',
    },
  ]

  static override flags = {'base-dir': nodeFlags['base-dir'], ...resetFlags, ...globalFlags}

  static override summary = 'Take the node apart again: remove what setup made, and nothing else.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Reset)
    const {flags} = parsed
    return resetNode({
      baseDir: flags['base-dir'],
      flags,
      given: givenReset(parsed),
      packageRoot: this.config.root,
    })
  }
}
