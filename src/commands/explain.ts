// k8s-win explain: parse, look up, print.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {documentText} from '../output/run/json-view.js'
import {openScreen} from '../output/screen.js'
import {explanationDocument, explanationLines, listLines} from '../output/text/explanation.js'
import {explain, EXPLANATIONS} from '../runs/explain.js'
import {EXIT_CODES, readerExitCodes} from '../cli/exit-codes.js'
import {globalFlags, outputFormat} from '../cli/arguments/flag-table.js'
import {missingId} from '../errors/usage.js'

export default class Explain extends Command {
  static override args = {
    id: Args.string({
      description:
        'ID of an error, a check or a known failure, such as NO_POD_CIDR; an exit code; or a code of Windows.',
    }),
  }

  static override description = `Explains an ID that k8s-win shows in messages, JSON documents and logs: what it means, its cause, its fix and its exit code. Also explains exit codes (10), codes of the Host Networking Service (0x803b0013) and of the service manager (1053). Words in angle brackets stand for what a message fills in. Needs no Windows and no node.

${readerExitCodes([0, 'explained'], [2, 'unknown ID'], 5)}`

  static override examples = [
    {command: '<%= config.bin %> explain NO_POD_CIDR', description: 'What this error means and how to fix it'},
    {command: '<%= config.bin %> explain disk --output json', description: 'A check, for programs'},
    {command: '<%= config.bin %> explain 0x803b0013', description: 'A code of Windows'},
    {command: '<%= config.bin %> explain --list', description: 'Every ID'},
  ]

  static override flags = {list: Flags.boolean({summary: 'List every ID.'}), ...globalFlags}

  static override strict = false

  static override summary = 'Explain an error, check or known failure by its ID.'

  static override usage = '<%= command.id %> ID... [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Explain)
    if (argv.length === 0 && !flags.list) throw missingId({})
    const found = flags.list ? EXPLANATIONS : argv.map((id) => explain(String(id), EXIT_CODES))
    const format = outputFormat(flags)
    const screen = openScreen(process.stdout)
    const lines = flags.list
      ? listLines(found, screen)
      : found.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...explanationLines(one, screen)])
    const text =
      format === 'text'
        ? `${lines.join('\n')}\n`
        : found.map((one) => documentText(explanationDocument(one), format)).join('')
    process.stdout.write(text)
    return 0
  }
}
