// k8s-win setup: parse, choose machine and view, run, return the exit code.
import {Command} from '@oclif/core'
import {chooseMachine} from '../cli/choose-machine.js'
import {exitCodeLines} from '../cli/exit-codes.js'
import {givenOptions, globalFlags, logFolder, optionFlags, outputFormat} from '../cli/flag-table.js'
import {nextCommands} from '../cli/next-commands.js'
import {stoppingNotice, watchSignals} from '../cli/signals.js'
import {environmentLayer, flagLayer, isOn, layered} from '../config/layers.js'
import type {SetupConfig} from '../config/model.js'
import {resetMissing} from '../errors/configuration.js'
import {K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {bug} from '../errors/program.js'

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
    const given = givenOptions(parsed)
    const asked = layered([flagLayer(given), environmentLayer(process.env)])
    if (isOn(asked, 'reset')) throw resetMissing({})
    const dryRun = isOn(asked, 'dry-run')
    const {called, declare, machine, next} = await chooseMachine(flags, process.platform, dryRun)

    const [{runSetup}, {chooseView}, {EventBus}, {createRedactor}, {openAssets}, {thisCaller}] = await Promise.all([
      import('../runs/setup.js'),
      import('../output/choose-view.js'),
      import('../pipeline/events.js'),
      import('../output/redact.js'),
      import('../machine/real/assets.js'),
      import('../machine/real/caller.js'),
    ])
    const {now} = machine.clock
    const bus = new EventBus(now)
    const redactor = createRedactor()
    const view = chooseView({
      environment: process.env,
      format: outputFormat(flags),
      next: nextCommands({called, next}, process.argv.slice(2), process.platform),
      now,
      platform: process.platform,
      redact: redactor.redact,
      stderr: process.stderr,
      stdout: process.stdout,
      verbose: flags.verbose,
    })
    bus.listen(view.listen)
    const signals = watchSignals(process, stoppingNotice(bus))

    try {
      const assets = openAssets(this.config.root)
      const dockerHost = flags.simulate === undefined ? process.env.DOCKER_HOST : undefined
      const onConfig = ({digests}: SetupConfig): void => declare(digests)
      const {signal} = signals
      const result = await runSetup({
        assets,
        bus,
        dockerHost,
        dryRun,
        environment: process.env,
        given,
        holder: {command: redactor.redact([called, ...process.argv.slice(2)].join(' ')), ...thisCaller()},
        machine,
        onConfig,
        redactor,
        signal,
      })
      return result.exitCode
    } catch (error) {
      view.stop()
      if (error instanceof K8sWinError || error instanceof ProblemsError) throw error
      const cause = redactor.redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
      throw bug({log: logFolder(asked.given), message: redactor.redact(String(error))}, {cause})
    } finally {
      signals.close()
    }
  }
}
