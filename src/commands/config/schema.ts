// k8s-win config schema: the configuration file as JSON Schema.
import {Command} from '@oclif/core'
import {globalFlags} from '../../cli/flag-table.js'
import {configSchema} from '../../config/schema.js'

export default class ConfigSchema extends Command {
  static override description = `Prints the JSON Schema of the configuration file: every key with its type, default and meaning. It is also in the package, as schemas/node-config.schema.json.

Editors with a YAML language server check and complete a file that begins with
# yaml-language-server: $schema=node-config.schema.json`

  static override examples = [
    {
      command: '<%= config.bin %> config schema > node-config.schema.json',
      description: 'Keep it beside the configuration file',
    },
    {
      command: '<%= config.bin %> config schema -Output json',
      description: 'The same: the schema is JSON in any case',
    },
  ]

  static override flags = globalFlags

  static override summary = 'Print the JSON Schema of the configuration file.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'config schema [FLAGS]'

  override async run(): Promise<number> {
    await this.parse(ConfigSchema)
    process.stdout.write(`${JSON.stringify(configSchema(), undefined, 2)}\n`)
    return 0
  }
}
