// k8s-win token list: parse, read, print.
import {Command} from '@oclif/core/command'
import {listLines, type TokenListDocument} from '../../output/text/token-text.js'
import {listTokens} from '../../runs/token/list.js'
import {readerExitCodes} from '../../cli/exit-codes.js'
import {globalFlags} from '../../cli/arguments/flag-table.js'
import {print} from '../../cli/print.js'
import {TOKEN_EXIT, tokenFlags, tokenInput} from '../../cli/run/token-command.js'

export default class TokenList extends Command {
  static override description = `Lists the bootstrap tokens of the cluster: ID, remaining time, expiration, usages, groups and description. The secret part of a token is never shown. Runs on any system, with an administrator's kubeconfig. Changes nothing.

${readerExitCodes([0, 'listed'], [2, 'invalid command line, or no kubeconfig'], TOKEN_EXIT, 5)}`

  static override examples = [
    {
      command: '<%= config.bin %> token list --kubeconfig admin.conf',
      description: 'The bootstrap tokens of the cluster',
    },
    {
      command: '<%= config.bin %> token list --kubeconfig admin.conf --output json',
      description: 'For programs',
    },
  ]

  static override flags = {...tokenFlags, ...globalFlags}

  static override summary = 'List the bootstrap tokens of the cluster.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'token list [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(TokenList)
    const input = await tokenInput(flags, false)
    const tokens = await listTokens(input)
    const {simulated} = input.machine
    const document: TokenListDocument = {command: 'token list', schemaVersion: 1, simulated, tokens}
    return print(flags, listLines(tokens), document)
  }
}
