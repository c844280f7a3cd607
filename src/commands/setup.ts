// k8s-win setup: parse, choose the machine, run, return the exit code.
import {Command} from '@oclif/core/command'
import {exitCodes, OPERATION_FAILED} from '../cli/exit-codes.js'
import {givenOptions, globalFlags, optionFlags, textOf} from '../cli/arguments/flag-table.js'
import {resetNode} from '../cli/run/run-reset.js'
import {setupNode} from '../cli/run/run-setup.js'
import {askedLayers, isOn, layered} from '../config/options/layers.js'
import {OPTIONS} from '../config/options/options.js'
import {sharedWithReset} from '../config/options/reset-options.js'

export default class Setup extends Command {
  static override description = `Downloads the Kubernetes node binaries, flannel and the CNI plugins, pulls the base images, installs the services and waits until the node is Ready. Run it again at any time: it changes only what is not in place.

Every flag can also be written in PowerShell style (-BaseDir c:\\k) or set as an environment variable (K8S_WIN_BASE_DIR). Flags that describe the node can also be set in a file (--config). Options that are not given are taken from the last setup; "k8s-win config show" prints the result.

${exitCodes(0, 1, 2, 3, 4, OPERATION_FAILED, 6, [7, 'another release does not work, and the old one could not be restored'], 10, 11, 130)}`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> setup --base-dir c:\k`,
      description: String.raw`Set up this host with the kubeconfig in c:\k\kubeconfig`,
    },
    {
      command: '<%= config.bin %> setup --server https://10.0.0.1:6443 --token-file - --ca-cert-hash sha256:<hex>',
      description: 'Join a cluster with a bootstrap token, which it prompts for',
    },
    {
      command: '<%= config.bin %> setup --simulate ws2025',
      description: 'Try it on a simulated Windows Server, on any system',
    },
    {
      command: '<%= config.bin %> setup --interface-name "Ethernet 2" --dry-run',
      description: 'Show what would change with another network adapter',
    },
    {
      command: String.raw`<%= config.bin %> setup --config c:\node.yaml`,
      description: 'Set up this host with the options in a file',
    },
  ]

  static override flags = {...optionFlags, ...globalFlags}

  static override summary = 'Set up this Windows Server as a Kubernetes worker node.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Setup)
    const {flags} = parsed
    const packageRoot = this.config.root
    const given = givenOptions(parsed)
    const asked = layered(askedLayers(OPTIONS, given, process.env))
    const [baseDir, configFile] = [textOf(asked.given['base-dir']), textOf(asked.given.config)]
    // As the original script has it, with the options that both commands have.
    if (isOn(asked, 'reset')) {
      return resetNode({baseDir, configFile, flags, given: sharedWithReset(asked.given), packageRoot})
    }
    return setupNode({flags, given, packageRoot, version: this.config.version})
  }
}
