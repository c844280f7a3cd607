// k8s-win recover: parse, run, return the exit code.
import {Command} from '@oclif/core/command'
import {chooseMachine} from '../cli/choose-machine.js'
import {exitCodes} from '../cli/exit-codes.js'
import {givenOptions, globalFlags, nodeFlags, recoverFlags} from '../cli/arguments/flag-table.js'
import {runDetachable} from '../cli/run/run-detachable.js'
import {watchIfSimulated} from '../cli/run/run-with-view.js'
import {commandTyper} from '../cli/arguments/typed-commands.js'
import {resolveRecover} from '../config/options/upgrade-options.js'
import {runRecover} from '../runs/recover/recover.js'

const REFUSED =
  'this is not Windows, you are not an administrator, a setup, upgrade or reset is unfinished, the stored options are damaged, this host is a copy of the node, or things with names of k8s-win were not created by it; nothing was changed'

export default class Recover extends Command {
  static override description = `Repairs a node that was set up, after a crash, a restart of Windows or of its network, or a change by hand. It checks the node, runs the steps of setup whose result is missing or has changed, and those that depend on them, and checks the node again. Options are those of the last setup. What is healthy is not restarted, and nothing is downloaded unless a program or an image is missing or altered.

It never restarts a container runtime that is running, unless --yes is given: its pods would end. What it cannot repair is reported, with the cause: a full disk, a wrong clock, an API server that does not respond.

${exitCodes([0, 'the node is healthy, planned (--dry-run), or continued as a service (--detach)'], 1, [2, 'invalid command line'], [3, REFUSED], 4, [5, 'an operation on Windows failed'], [6, 'something could not be repaired, or --timeout expired; everything else was repaired'], [9, 'there is no node in this base directory'], 11, 130)}`

  static override examples = [
    {command: '<%= config.bin %> recover', description: 'Repair the node of this host'},
    {command: '<%= config.bin %> recover --dry-run', description: 'Show what is wrong, and what would change'},
  ]

  static override flags = {'base-dir': nodeFlags['base-dir'], ...recoverFlags, ...globalFlags}

  static override summary = 'Repair a node that was set up.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(Recover)
    const {flags} = parsed
    const {asked, dryRun, timeoutMs, yes} = resolveRecover(givenOptions(parsed), process.env)
    const {'base-dir': baseDir} = flags
    const chosen = await chooseMachine(flags, process.platform, dryRun)
    const next = [commandTyper(chosen.called, flags, process.platform)('status', baseDir), ...chosen.next]
    const watched = {asked, baseDir, chosen, dryRun, flags, launcher: 'detect', next} as const
    return runDetachable({...watched, packageRoot: this.config.root}, async (session) => {
      // What it plans is what the watch says, too.
      if (dryRun) await watchIfSimulated(session)
      return runRecover({...session, baseDir, dryRun, timeoutMs, yes})
    })
  }
}
