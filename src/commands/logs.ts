// k8s-win logs: parse, read, print.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import {readerExitCodes} from '../cli/exit-codes.js'
import {nodeFlags, OUTPUT_FORMATS, outputFlag, outputFormat} from '../cli/arguments/flag-table.js'
import {DAEMONS, inWords} from '../config/daemons.js'
import {COMPONENTS} from '../logs/components.js'

const pattern = (summary: string) =>
  Flags.string({helpValue: '<regexp>', multiple: true, multipleNonGreedy: true, summary})

export default class Logs extends Command {
  static override args = {
    component: Args.string({
      description: `${COMPONENTS.slice(0, -1).join(', ')} or k8s-win (the log of k8s-win itself). Default: all but k8s-win; containerd only on a node that uses it.`,
    }),
  }

  static override description = `Shows the logs of ${inWords(DAEMONS)} on this node, or of the components that are named, merged by time. Name k8s-win to see what k8s-win itself did, with --verbose also every program, request and call of Windows. Lines that belong together (a stack trace, a wrapped line) count as one entry. Times are in the host's time zone. Secrets are hidden in every format.

Without --tail every entry is shown; --follow starts with the last 10 unless --tail, --since or --since-time is given. Entries go to standard output, everything else to standard error.

--bundle writes a support bundle instead: status, checks, configuration, logs and the state of Windows in one zip file, with secrets hidden. It works on a broken host and without a node; what could not be collected is listed, and the exit code is 0.

${readerExitCodes([0, 'shown; also if there are no logs yet'], [2, 'invalid command line, or a pattern that takes too long'], 3, [5, 'the bundle or the output could not be written'], [9, 'there is no node in this base directory; logs of a former node are shown nevertheless'], [130, 'interrupted, as --follow always is'])}`

  static override examples = [
    {command: '<%= config.bin %> logs kubelet --tail 100', description: 'The last 100 entries of the kubelet'},
    {
      command: '<%= config.bin %> logs flanneld kubeproxy --since 10m --level warning',
      description: 'Network problems of the last ten minutes',
    },
    {command: '<%= config.bin %> logs --follow --exclude "FLAG: "', description: 'Follow the daemons'},
    {command: '<%= config.bin %> logs flanneld --previous', description: 'Why flanneld ended before its last start'},
    {command: '<%= config.bin %> logs k8s-win --tail 100', description: 'What k8s-win itself did'},
    {
      command: String.raw`<%= config.bin %> logs --bundle c:\support.zip`,
      description: 'A support bundle for a colleague or a vendor',
    },
  ]

  static override flags = {
    follow: Flags.boolean({helpLabel: '-f, --follow', summary: 'Show new entries as they are written, until Ctrl-C.'}),
    tail: Flags.string({
      helpValue: '<n>',
      summary: 'Only the last n entries of all logs together; "all" or -1 for all.',
    }),
    since: Flags.string({helpValue: '<duration>', summary: 'Only newer entries: 90s, 10m, 1h30m, 7d.'}),
    'since-time': Flags.string({
      helpValue: '<time>',
      summary: "Only entries after this time: 2026-01-31T14:00:00Z, or without a zone in the host's time zone.",
    }),
    until: Flags.string({
      helpValue: '<time>',
      summary: 'Only entries before this time, or older than a duration (10m).',
    }),
    level: Flags.option({options: ['info', 'warning', 'error', 'fatal'] as const})({
      helpValue: 'info|warning|error|fatal',
      summary: 'Only this level and above.',
    }),
    grep: pattern('Only entries that match this regular expression; "(?i)" at its start ignores case. Repeatable.'),
    exclude: pattern('No entries that match this regular expression. Repeatable.'),
    previous: Flags.boolean({summary: 'The run of each daemon before its last start.'}),
    path: Flags.boolean({summary: 'Only print the folders of the logs, one per line.'}),
    bundle: Flags.string({helpValue: '<file.zip>', summary: 'Write a support bundle to this file.'}),
    yes: Flags.boolean({summary: 'Let --bundle replace an existing file (-Force).'}),
    ...nodeFlags,
    output: outputFlag(
      [...OUTPUT_FORMATS, 'raw'] as const,
      'Output format: text, raw (lines as in the files), json or ndjson (both one object per line).',
    ),
  }

  static override strict = false

  static override summary = 'Show the logs of the daemons, or write a support bundle.'

  static override usage = '<%= command.id %> [COMPONENT...] [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Logs)
    const {bundle, output: _, ...global} = flags
    const format = outputFormat(flags)
    const words = argv.map(String)
    if (bundle !== undefined) {
      const {writeBundle} = await import('../cli/run/write-bundle.js')
      return writeBundle({...global, bundle, ...(format !== 'raw' && {output: format})}, this.config, words)
    }
    const {showLogs} = await import('../cli/run/show-logs.js')
    return showLogs(words, {...global, output: format})
  }
}
