// k8s-win explain: parse, look up, print.
import {Args, Command} from '@oclif/core'
import {globalFlags, outputFormat} from '../cli/flag-table.js'
import {missingId} from '../errors/usage.js'

export default class Explain extends Command {
  static override args = {
    id: Args.string({description: 'The ID of an error, a check or a known failure, such as NO_POD_CIDR.'}),
  }

  static override description = `Explains an ID that k8s-win shows in messages, JSON documents and logs: what it means, its cause, its fix and its exit code. Words in angle brackets stand for what a message fills in. Needs no Windows and no node.

Exit codes: 0 explained; 2 there is no such ID; 5 the output could not be written.`

  static override examples = [
    {command: '<%= config.bin %> explain NO_POD_CIDR', description: 'What this error means and how to fix it'},
    {command: '<%= config.bin %> explain disk --json', description: 'A check, for programs'},
  ]

  static override flags = globalFlags

  static override strict = false

  static override summary = 'Explain an error, check or known failure by its ID.'

  static override usage = '<%= command.id %> ID [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Explain)
    const [{explain}, {explanationDocument, explanationLines}] = await Promise.all([
      import('../runs/explain.js'),
      import('../output/text/explanation.js'),
    ])
    if (argv.length === 0) throw missingId({})
    const found = argv.map((id) => explain(String(id)))
    const format = outputFormat(flags)
    const text =
      format === 'text'
        ? found.map((one) => explanationLines(one).join('\n')).join('\n\n')
        : found
            .map((one) => JSON.stringify(explanationDocument(one), undefined, format === 'json' ? 2 : undefined))
            .join('\n')
    process.stdout.write(`${text}\n`)
    return 0
  }
}
