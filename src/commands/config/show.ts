// k8s-win config show: parse, resolve, print.
import {Command} from '@oclif/core/command'
import {configDocument, configLines} from '../../output/text/config-table.js'
import {redactAll} from '../../output/text/redact.js'
import {showConfiguration} from '../../runs/config-show.js'
import {chooseReader} from '../../cli/choose-machine.js'
import {readerExitCodes} from '../../cli/exit-codes.js'
import {configurationFlags, givenOptions, globalFlags} from '../../cli/arguments/flag-table.js'
import {print} from '../../cli/print.js'
import {commandSession} from '../../cli/run/run-with-view.js'

export default class ConfigShow extends Command {
  static override description = `Resolves the configuration as setup does - flags, environment variables (K8S_WIN_...), the file of --config, the options of the last setup in <BaseDir>\\k8s-win\\node.yaml, what the cluster reports, defaults - and prints every option with its value and its source. All problems are reported at once. Changes nothing.

${readerExitCodes([0, 'shown'], 2, [3, 'the options of the last setup cannot be used'], 5)}`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> config show --base-dir c:\k --config c:\node.yaml`,
      description: 'What setup would use with this file',
    },
    {
      command: '<%= config.bin %> config show --config node.yaml --output json',
      description: 'The same for programs, on any system',
    },
  ]

  static override flags = {...configurationFlags, ...globalFlags}

  static override summary = 'Show the options that setup would use, and where each value comes from.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'config show [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(ConfigShow)
    const {flags} = parsed
    const {machine, withStored} = await chooseReader(flags, process.platform)
    const session = commandSession({machine}, flags, this.config.root, new AbortController().signal)
    const shown = await showConfiguration({...session, flags: givenOptions(parsed), withStored})
    const options = redactAll(shown, session.redactor.redact)
    return print(flags, configLines(options), configDocument(options, machine.simulated))
  }
}
