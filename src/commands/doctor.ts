// k8s-win doctor: parse, run the checks, print.
import {Command} from '@oclif/core'
import {chooseMachine} from '../cli/choose-machine.js'
import {checkFlags, givenOptions, globalFlags, outputFormat} from '../cli/flag-table.js'
import {commandTyper} from '../cli/next-commands.js'
import {watchSignals} from '../cli/signals.js'

export default class Doctor extends Command {
  static override description = `Runs all the checks that setup makes before it changes anything, side by side, and on a node that is set up also those that explain a sick one: its services and what they depend on, known failures in its logs, the overlay network and its endpoints, lost addresses and routes, reserved ports, certificates, images, and the ports to the API server and the other nodes. Every problem comes with its fix. Nothing is changed, and no lock is taken.

The options are those of setup that a check goes by; on a node that is set up they are taken from the last setup. --ignore-check lets a check only warn.

Exit codes:
0: no check failed; there may be warnings
2: wrong command line or configuration
3: a check failed, or this is not Windows and no simulated one was asked for
5: the output could not be written
130: interrupted`

  static override examples = [
    {command: '<%= config.bin %> doctor', description: 'Does this host qualify, and is its node well?'},
    {
      command: String.raw`<%= config.bin %> doctor -BaseDir c:\k -Kubeconfig c:\admin.conf -InterfaceName "Ethernet 2"`,
      description: 'Before setup, with the options it would get',
    },
    {command: '<%= config.bin %> doctor --json', description: 'One JSON document (schemas/doctor.schema.json)'},
  ]

  static override flags = {...checkFlags, ...globalFlags}

  static override summary = 'Check this host, its cluster and its node, and say what to do about what is wrong.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Doctor)
    const {flags} = parsed
    const {called, machine} = await chooseMachine(flags, process.platform, true)
    const [{runDoctor}, {doctorView}, {redactor}, {openAssets}] = await Promise.all([
      import('../runs/doctor/doctor.js'),
      import('../output/doctor/doctor-view.js'),
      import('../cli/redactor.js'),
      import('../machine/real/assets.js'),
    ])
    const {env: environment, platform, stdout} = process
    const {now} = machine.clock
    const view = doctorView({environment, format: outputFormat(flags), now, platform, stdout})
    const signals = watchSignals(process, () => {})
    try {
      const document = await runDoctor({
        assets: openAssets(this.config.root),
        dockerHost: flags.simulate === undefined ? environment['DOCKER_HOST'] : undefined,
        environment,
        given: givenOptions(parsed),
        machine,
        onCheck: (check) => view.check(check),
        redactor,
        signal: signals.signal,
        typed: commandTyper(called, flags, platform),
      })
      view.finish(document)
      return document.exitCode
    } finally {
      view.stop()
      signals.close()
    }
  }
}
