// k8s-win setup: parse, choose the machine, run, return the exit code.
import {Command} from '@oclif/core'
import {chooseMachine} from '../cli/choose-machine.js'
import {exitCodeLines} from '../cli/exit-codes.js'
import {givenOptions, type GlobalFlags, globalFlags, optionFlags} from '../cli/flag-table.js'
import {commandTyper, nextCommands} from '../cli/next-commands.js'
import {resetNode} from '../cli/run-reset.js'
import {runWithView} from '../cli/run-with-view.js'
import {askedLayers, isOn, layered} from '../config/layers.js'
import type {SetupConfig} from '../config/model.js'
import {type GivenOptions, OPTIONS} from '../config/options.js'
import {sharedWithReset} from '../config/reset-options.js'

export default class Setup extends Command {
  static override description = `Downloads the Kubernetes node binaries, flannel and the CNI plugins, prepares Docker's base images, registers the services and waits until the node is Ready. Running it again changes only what is not in place.

Every flag can be written in PowerShell's style (-BaseDir c:\\k) and given as an environment variable (K8S_WIN_BASE_DIR); those that describe the node also in a file (--config). A later run takes from the last one what it is not told. "k8s-win config show" prints what would be used.

Exit codes:
${exitCodeLines()}`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> setup -BaseDir c:\k`,
      description: String.raw`Set up this Windows host; c:\k\kubeconfig is there`,
    },
    {
      command: String.raw`<%= config.bin %> setup -BaseDir c:\k -InterfaceName "Ethernet 2"`,
      description: 'Name the network adapter',
    },
    {
      command: String.raw`<%= config.bin %> setup -Config c:\node.yaml -DryRun`,
      description: 'Take the options from a file, and see first what would be changed',
    },
    {
      command: '<%= config.bin %> setup --simulate ws2019',
      description: 'Rehearse on a simulated Windows Server, on any system',
    },
  ]

  static override flags = {...optionFlags, ...globalFlags}

  static override summary = 'Make this Windows Server a worker node of a Kubernetes cluster.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Setup)
    const {flags} = parsed
    const packageRoot = this.config.root
    const given = givenOptions(parsed)
    const asked = layered(askedLayers(OPTIONS, given, process.env))
    if (isOn(asked, 'reset')) return resetInstead(asked.given, flags, packageRoot)
    const dryRun = isOn(asked, 'dry-run')
    const [chosen, {runSetup}] = await Promise.all([
      chooseMachine(flags, process.platform, dryRun),
      import('../runs/setup/setup.js'),
    ])
    const {'base-dir': baseDir, config: file} = asked.given
    const typed = commandTyper(chosen.called, flags, process.platform)
    // Which folder a file names is not known yet.
    const status = file === undefined ? typed('status', baseDir === undefined ? undefined : String(baseDir)) : undefined
    const next = nextCommands(chosen, process.argv.slice(2), process.platform, status)
    const onConfig = ({digests}: SetupConfig): void => chosen.declare(digests)
    return runWithView({chosen, flags, given: asked.given, next, packageRoot}, (parts) =>
      runSetup({...parts, dryRun, given, onConfig}),
    )
  }
}

/** As the original script has it: with what both commands know. */
function resetInstead(given: GivenOptions, flags: GlobalFlags, packageRoot: string): Promise<number> {
  const text = (value: GivenOptions['config']): string | undefined => (value === undefined ? undefined : String(value))
  const [baseDir, configFile] = [text(given['base-dir']), text(given.config)]
  return resetNode({baseDir, configFile, flags, given: sharedWithReset(given), packageRoot})
}
