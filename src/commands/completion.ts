// k8s-win completion: parse, make the script, print.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {COMPLETION_SCRIPTS, isShell} from '../cli/arguments/completion-script.js'
import {completionValues} from '../cli/arguments/completion-values.js'
import {readerExitCodes} from '../cli/exit-codes.js'
import {badChoice} from '../errors/usage.js'

export default class Completion extends Command {
  static override args = {name: Args.string({description: 'powershell, bash or zsh.'})}

  static override description = `Prints a script that completes commands, flags and their values. Load it in the profile of the shell. Flags in PowerShell style (-BaseDir) are completed in PowerShell 7 (pwsh) only; Windows PowerShell 5.1 completes them as --base-dir. Needs no Windows and no node.

${readerExitCodes([0, 'printed'], [2, 'unknown shell'], 5)}`

  static override examples = [
    {
      command: '<%= config.bin %> completion powershell | Out-String | Invoke-Expression',
      description: 'PowerShell: in the file that $PROFILE names',
    },
    {command: 'source <(<%= config.bin %> completion bash)', description: 'bash: in ~/.bashrc'},
    {command: 'source <(<%= config.bin %> completion zsh)', description: 'zsh: in ~/.zshrc, after compinit'},
  ]

  // oclif would report a second argument as a bug.
  static override strict = false

  static override summary = 'Print the completion script of a shell.'

  static override usage = '<%= command.id %> powershell|bash|zsh'

  override async run(): Promise<number> {
    const {argv} = await this.parse(Completion)
    const shell = argv.map(String).join(' ')
    if (!isShell(shell)) {
      throw badChoice({choices: Object.keys(COMPLETION_SCRIPTS).join(', '), flag: 'The shell', value: shell})
    }
    const commands = Object.fromEntries(this.config.commands.map((command) => [command.id, command]))
    process.stdout.write(COMPLETION_SCRIPTS[shell]({commands}, await completionValues()))
    return 0
  }
}
