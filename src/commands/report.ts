// k8s-win report: parse, read what the last run left, write its page.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {chooseMachine} from '../cli/choose-machine.js'
import {readerExitCodes} from '../cli/exit-codes.js'
import {nodeFlags} from '../cli/arguments/flag-table.js'
import {print} from '../cli/print.js'
import {type CommandSession, withSession} from '../cli/run/run-with-view.js'
import {reportTarget, writePage} from '../cli/run/write-report.js'
import {unexpectedArgument} from '../errors/usage.js'
import {reportDocument} from '../output/report/report-document.js'
import {pageOfLastRun} from '../runs/report.js'

export default class Report extends Command {
  static override args = {
    file: Args.string({description: 'Where the page is written. Default: beside the log of the run.'}),
  }

  static override description = `Writes a page (HTML) of the last setup, upgrade or reset: a timeline of its steps, downloads and waits with the interruption of the network, every retry, the critical path, checks, changes, versions and digests. The page is one file without scripts, of at most 150 KB, with secrets hidden. A run that was killed or is in progress is shown as far as it got. Changes nothing else.

An existing file is replaced only if it is such a page. setup --report and upgrade --report write the page of their own run, also of a dry run.

${readerExitCodes([0, 'written'], [2, 'invalid command line, or the file cannot be used'], 3, [5, 'the page could not be written'], [9, 'no run has left a result in this base directory'], 130)}`

  static override examples = [
    {command: String.raw`<%= config.bin %> report C:\setup.html`, description: 'Write the page of the last run'},
    {
      command: String.raw`<%= config.bin %> setup --base-dir c:\k --report C:\setup.html`,
      description: 'Write the page when setup ends',
    },
  ]

  static override flags = nodeFlags

  // oclif would report a second argument as a bug.
  static override strict = false

  static override summary = 'Write a page of the last run: timeline, checks, changes, versions.'

  static override usage = '<%= command.id %> [FILE] [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Report)
    const [file, second] = argv.map(String)
    if (second !== undefined) throw unexpectedArgument({argument: second, command: 'report'})
    const {machine} = await chooseMachine(flags, process.platform, true)
    const work = async (session: CommandSession): Promise<number> => {
      const given = file === undefined ? undefined : await reportTarget(flags, file, machine)
      const {version} = this.config
      const {defaultPath, page} = await pageOfLastRun({...session, baseDir: flags['base-dir'], version})
      const target = given ?? (await reportTarget(flags, defaultPath, machine))
      await writePage(target, machine, page)
      const document = reportDocument(target.path, page, machine)
      return print(flags, [`Wrote ${target.path} (${Math.ceil(document.bytes / 1024)} KiB).`], document)
    }
    return withSession({machine}, flags, this.config.root, work, 'Stopping; no page is written.\n')
  }
}
