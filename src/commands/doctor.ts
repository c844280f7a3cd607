// k8s-win doctor: parse, run the checks, print.
import {Command} from '@oclif/core/command'
import {doctorView} from '../output/doctor/doctor-view.js'
import {runDoctor} from '../runs/doctor/doctor.js'
import {chooseMachine} from '../cli/choose-machine.js'
import {readerExitCodes} from '../cli/exit-codes.js'
import {checkFlags, givenOptions, globalFlags, outputFormat} from '../cli/arguments/flag-table.js'
import {watchIfSimulated, withSession} from '../cli/run/run-with-view.js'
import {commandTyper} from '../cli/arguments/typed-commands.js'

export default class Doctor extends Command {
  static override description = `Runs every check that setup runs first and, on a node that is set up, checks that explain an unhealthy node: services and their dependencies, known failures in the logs, the overlay network and its endpoints, lost addresses and routes, reserved ports, certificates, images, and connections to the API server and other nodes. Reports problems and warnings with their fixes, and with --verbose every check. Changes nothing and takes no lock.

The options are those of setup that checks depend on; on a node that is set up, the default is the last setup's. Every flag can also be set as an environment variable (K8S_WIN_BASE_DIR). --ignore-check downgrades a failed check to a warning.

${readerExitCodes([0, 'no check failed; there may be warnings'], 2, [3, 'a check failed; or this is not Windows, and --simulate is not given'], 5, 130)}`

  static override examples = [
    {command: '<%= config.bin %> doctor', description: 'Check this host, its cluster and its node'},
    {
      command: String.raw`<%= config.bin %> doctor --kubeconfig C:\Users\Administrator\.kube\config --interface-name "Ethernet 2"`,
      description: 'Check this host before setup, with the options of setup',
    },
    {command: '<%= config.bin %> doctor --output json', description: 'One JSON document (schemas/doctor.schema.json)'},
  ]

  static override flags = {...checkFlags, ...globalFlags}

  static override summary = 'Diagnose this host, its cluster and its node.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Doctor)
    const {flags} = parsed
    const {env: environment, platform, stdout} = process
    const chosen = await chooseMachine(flags, platform, true)
    const {now} = chosen.machine.clock
    const verbose = flags.verbose ?? false
    const view = doctorView({environment, format: outputFormat(flags), now, platform, stdout, verbose})
    return withSession(chosen, flags, this.config.root, async (session) => {
      await watchIfSimulated(session)
      const document = await runDoctor({
        ...session,
        given: givenOptions(parsed),
        onCheck: (check) => view.check(check),
        typed: commandTyper(chosen.called, flags, platform),
      })
      view.finish(document)
      return document.exitCode
    }).finally(() => view.stop())
  }
}
