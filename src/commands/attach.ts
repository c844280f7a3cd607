// k8s-win attach: parse, follow the run, return its exit code.
import {Command} from '@oclif/core/command'
import {chooseMachine} from '../cli/choose-machine.js'
import {exitCodes} from '../cli/exit-codes.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'
import {runWithView} from '../cli/run/run-with-view.js'
import {openRealClock} from '../machine/real/clock.js'
import {attach} from '../runs/attach/attach.js'

export default class Attach extends Command {
  static override description = `Shows the run of setup, upgrade, reset or verify that is active on this host, from its beginning, and ends when it ends, with its exit code. It can be started from any session of an administrator, as often as you like. Ctrl-C ends only attach: the run continues.

${exitCodes([0, 'the run was successful; every other exit code of a run is passed on'], [5, 'also: the run ended without a result'], [9, 'also: no run is active, or it cannot be shown'], [130, 'also: interrupted; the run continues'])}`

  static override examples = [
    {command: String.raw`<%= config.bin %> attach --base-dir C:\k`, description: 'Show the run that is active'},
    {
      command: '<%= config.bin %> attach --output json',
      description: 'Wait for its end, and print its document (schemas/result.schema.json)',
    },
  ]

  static override flags = nodeFlags

  static override summary = 'Show the active run, and end with its exit code.'

  static override usage = '<%= command.id %> [FLAGS]'

  override async run(): Promise<number> {
    const {flags} = await this.parse(Attach)
    const baseDir = flags['base-dir']
    const chosen = await chooseMachine(flags, process.platform, true)
    const watched = {baseDir, chosen, flags, isAttached: true, next: [], packageRoot: this.config.root}
    return runWithView(watched, (parts) => attach({...parts, baseDir, clock: openRealClock()}))
  }
}
