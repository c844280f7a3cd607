// k8s-win explain: parse, look up, print.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {documentText} from '../output/run/json-view.js'
import {openScreen} from '../output/screen.js'
import {explanationDocument, explanationLines} from '../output/text/explanation.js'
import {explain} from '../runs/explain.js'
import {readerExitCodes} from '../cli/exit-codes.js'
import {globalFlags, outputFormat} from '../cli/flag-table.js'
import {missingId} from '../errors/usage.js'

export default class Explain extends Command {
  static override args = {
    id: Args.string({description: 'ID of an error, a check or a known failure, such as NO_POD_CIDR.'}),
  }

  static override description = `Explains an ID that k8s-win shows in messages, JSON documents and logs: what it means, its cause, its fix and its exit code. Words in angle brackets stand for what a message fills in. Needs no Windows and no node.

${readerExitCodes([0, 'explained'], [2, 'unknown ID'], 5)}`

  static override examples = [
    {command: '<%= config.bin %> explain NO_POD_CIDR', description: 'What this error means and how to fix it'},
    {command: '<%= config.bin %> explain disk --output json', description: 'A check, for programs'},
  ]

  static override flags = globalFlags

  static override strict = false

  static override summary = 'Explain an error, check or known failure by its ID.'

  static override usage = '<%= command.id %> ID... [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Explain)
    if (argv.length === 0) throw missingId({})
    const found = argv.map((id) => explain(String(id)))
    const format = outputFormat(flags)
    const screen = openScreen(process.stdout)
    const text =
      format === 'text'
        ? `${found.map((one) => explanationLines(one, screen).join('\n')).join('\n\n')}\n`
        : found.map((one) => documentText(explanationDocument(one), format)).join('')
    process.stdout.write(text)
    return 0
  }
}
