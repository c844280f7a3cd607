// k8s-win config schema: the configuration file as JSON Schema.
import {Command} from '@oclif/core/command'
import {globalFlags} from '../../cli/arguments/flag-table.js'
import {configSchema} from '../../config/options/schema.js'
import {documentText} from '../../output/run/json-view.js'

export default class ConfigSchema extends Command {
  static override description = `Prints the JSON Schema of the configuration file: every key with its type, default and meaning. The package has it as schemas/node-config.schema.json.

Editors with a YAML language server check and complete a file that starts with
# yaml-language-server: $schema=node-config.schema.json`

  static override examples = [
    {
      command: '<%= config.bin %> config schema > node-config.schema.json',
      description: 'Save it next to the configuration file',
    },
  ]

  static override flags = globalFlags

  static override summary = 'Print the JSON Schema of the configuration file.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'config schema [FLAGS]'

  override async run(): Promise<number> {
    await this.parse(ConfigSchema)
    process.stdout.write(documentText(configSchema()))
    return 0
  }
}
