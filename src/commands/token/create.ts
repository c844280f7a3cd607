// k8s-win token create: parse, create, print.
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {DEFAULT_TTL, description, ttl} from '../../config/options/token-options.js'
import {ProblemsError} from '../../errors/k8s-win-error.js'
import {badValue} from '../../errors/input.js'
import {createdDocument, createdLines} from '../../output/text/token-text.js'
import {createToken} from '../../runs/token/create.js'
import {exitCodes} from '../../cli/exit-codes.js'
import {globalFlags} from '../../cli/arguments/flag-table.js'
import {print} from '../../cli/print.js'
import {TOKEN_EXIT, tokenFlags, tokenInput} from '../../cli/run/token-command.js'

export default class TokenCreate extends Command {
  static override description = `Creates a bootstrap token and prints it with the setup line of a node: API server and CA hash. The setup line reads the token from standard input, so that it is in no file and on no command line. Runs on any system, with an administrator's kubeconfig that is used once and not stored.

The token is what kubeadm creates: a Secret bootstrap-token-<id> in kube-system with the usages signing and authentication and the group system:bootstrappers:kubeadm:default-node-token. A node can request its certificate with it and read what joining needs, nothing else. Server and CA hash are those that the cluster publishes to joining nodes (ConfigMap cluster-info in kube-public). Nothing else is changed.

${exitCodes([0, 'created'], [2, 'invalid command line, or no kubeconfig'], TOKEN_EXIT, [5, 'the output could not be written'])}`

  static override examples = [
    {
      command: '<%= config.bin %> token create --kubeconfig admin.conf',
      description: 'A token for the next 24 hours, and the setup line',
    },
    {
      command: '<%= config.bin %> token create --kubeconfig admin.conf --ttl 2h --description "rack 7" --output json',
      description: 'For programs: token, server, CA hashes and setup line',
    },
  ]

  static override flags = {
    ...tokenFlags,
    description: Flags.string({helpValue: '<text>', summary: 'What the token is for; "token list" shows it.'}),
    ttl: Flags.string({
      defaultHelp: async () => Promise.resolve(DEFAULT_TTL),
      helpValue: '<duration>',
      summary: 'How long the token is valid: 90m, 24h. 0: it never expires.',
    }),
    ...globalFlags,
  }

  static override summary = 'Create a bootstrap token, and print the setup line of a node that joins with it.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'token create [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(TokenCreate)
    const settings = settingsOf(flags)
    const input = await tokenInput(flags, true)
    const created = await createToken({...input, ...settings})
    for (const warning of created.warnings) process.stderr.write(`Warning: ${warning}.\n`)
    // Not through the redactor: the token is what was asked for.
    return print(flags, createdLines(created), createdDocument(created, input.machine.simulated))
  }
}

function settingsOf(flags: {readonly description?: string | undefined; readonly ttl?: string | undefined}) {
  const [asked, lasting] = [description(flags.description ?? ''), ttl(flags.ttl ?? DEFAULT_TTL)]
  if ('value' in asked && 'value' in lasting) return {description: asked.value, ttlMs: lasting.value}
  const of = (flag: 'description' | 'ttl', outcome: typeof asked | typeof lasting) =>
    'value' in outcome ? [] : [badValue({...outcome, flag, value: flags[flag] ?? '', where: `--${flag}`})]
  throw new ProblemsError([...of('description', asked), ...of('ttl', lasting)])
}
