// k8s-win token delete: parse, delete, print.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {tokenNotGiven} from '../../errors/token.js'
import {unexpectedArgument} from '../../errors/usage.js'
import type {DeletedTokenDocument} from '../../output/text/token-text.js'
import {deleteToken} from '../../runs/token/delete.js'
import {exitCodes} from '../../cli/exit-codes.js'
import {globalFlags} from '../../cli/arguments/flag-table.js'
import {print} from '../../cli/print.js'
import {redactor} from '../../cli/redactor.js'
import {TOKEN_EXIT, tokenFlags, tokenInput} from '../../cli/run/token-command.js'

export default class TokenDelete extends Command {
  static override args = {
    id: Args.string({description: 'ID of the token, as "token list" shows it; a whole token is accepted, too.'}),
  }

  static override description = `Deletes a bootstrap token, so that no further node can join with it. Nodes that have joined keep their certificates. Runs on any system, with an administrator's kubeconfig. Nothing else is changed.

${exitCodes([0, 'deleted'], [2, 'invalid command line, or no kubeconfig'], [3, `there is no such token; or ${TOKEN_EXIT[1]}`], [5, 'the output could not be written'])}`

  static override examples = [
    {
      command: '<%= config.bin %> token delete abcdef --kubeconfig admin.conf',
      description: 'Delete the token abcdef',
    },
  ]

  static override flags = {...tokenFlags, ...globalFlags}

  // oclif would report a second argument as a bug.
  static override strict = false

  static override summary = 'Delete a bootstrap token of the cluster.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'token delete ID [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(TokenDelete)
    const [given, second] = argv.map(String)
    // Each may be a whole token.
    for (const word of argv) redactor.register(String(word).split('.')[1] ?? '')
    if (given === undefined) throw tokenNotGiven({})
    if (second !== undefined) throw unexpectedArgument({argument: second, command: 'token delete'})
    const input = await tokenInput(flags, true)
    const id = await deleteToken(input, given)
    const {simulated} = input.machine
    const document: DeletedTokenDocument = {command: 'token delete', id, schemaVersion: 1, simulated}
    return print(flags, [`The bootstrap token ${id} is deleted.`], document)
  }
}
