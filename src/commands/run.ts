// k8s-win run: parse, run the daemon or print its command, return the exit code.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {exitCodes} from '../cli/exit-codes.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'
import {printForeground, runForeground} from '../cli/run/foreground.js'
import {DAEMON_PROGRAMS, daemonNamed} from '../runs/daemons/daemon-names.js'
import {missingDaemon} from '../errors/daemons.js'
import {unexpectedArgument} from '../errors/usage.js'

const REFUSED =
  'the host does not qualify (no administrator, an unfinished setup, upgrade or reset, a copy of the node), the container runtime was there before setup, or the pods would end (--yes); nothing was changed'

export default class Run extends Command {
  static override args = {
    daemon: Args.string({
      description: `${DAEMON_PROGRAMS.join(', ')}; after --, flags that replace or extend its own.`,
    }),
  }

  static override description = `Runs a daemon of this node in the foreground, for debugging: its own program, arguments and environment, without the wrapper of its service and without log files, so that its output is on the screen. The service is stopped meanwhile, and the service k8s-win (setup --watch) repairs nothing. Ctrl-C ends the daemon, and the service is started again. If this process is killed, the service k8s-win or the next command that changes the node starts it.

The program runs as the user of this console, and the service as SYSTEM: what only one of them may read makes a difference. A flag after -- replaces the one of the service; one that the program does not have is refused before anything is stopped. With containerd the pods of the node end, so where pods run it needs --yes. A daemon that "k8s-win stop" has stopped stays stopped afterwards.

--print shows the command for cmd and for PowerShell, and stops nothing.

${exitCodes([0, 'the daemon was ended with Ctrl-C, or by itself with exit code 0, and its service runs again; or printed'], 1, [2, 'invalid command line, or a flag that the program does not have'], [3, REFUSED], [5, 'the daemon ended by itself with another exit code, or an operation on Windows failed'], [6, 'the service did not become healthy again in time'], [9, 'there is no node in this base directory'], 11, [130, 'interrupted before the daemon ran'])}`

  static override examples = [
    {command: '<%= config.bin %> run kubelet --print', description: 'Show the command line'},
    {command: '<%= config.bin %> run kubelet -- --v=6', description: 'The kubelet, with more output'},
    {command: '<%= config.bin %> run flanneld', description: 'flanneld, until Ctrl-C'},
  ]

  static override flags = {
    print: Flags.boolean({summary: 'Only show the command, for cmd and for PowerShell. Nothing is stopped.'}),
    yes: Flags.boolean({summary: 'Stop containerd, which ends the pods of this node (-Force).'}),
    ...nodeFlags,
  }

  static override strict = false

  static override summary = 'Run a daemon of this node in the foreground.'

  static override usage = '<%= command.id %> DAEMON [FLAGS] [-- FLAGS OF THE DAEMON]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Run)
    const [word, ...extra] = argv.map(String)
    if (word === undefined) throw missingDaemon({known: DAEMON_PROGRAMS.join(', ')})
    const daemon = daemonNamed(word)
    const [first] = extra
    if (first !== undefined && !first.startsWith('-')) throw unexpectedArgument({argument: first, command: 'run'})
    const asked = {daemon, extra, flags, packageRoot: this.config.root}
    return flags.print ? printForeground(asked) : runForeground(asked)
  }
}
