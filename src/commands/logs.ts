// k8s-win logs: parse, read, print.
import {Args, Command, Flags} from '@oclif/core'
import {nodeFlags, OUTPUT_FORMATS} from '../cli/flag-table.js'

const FORMATS = [...OUTPUT_FORMATS, 'raw'] as const
const LEVELS = ['info', 'warning', 'error', 'fatal'] as const

export default class Logs extends Command {
  static override args = {
    component: Args.string({description: 'flanneld, kubelet, kubeproxy or k8s-win; several, or none for all of them.'}),
  }

  static override description = `Shows what flanneld, the kubelet, kube-proxy and k8s-win itself wrote on this node: one, several or all, merged in the order of time. Lines that belong together (a stack, a wrapped line) stay together and count as one; flanneld's lines are taken out of shawl's. klog's files for warnings and errors, which only repeat lines, are left out. Times are of this host. Secrets are hidden in every format.

Without --tail everything is shown; --follow begins with the last 10 unless --tail, --since or --since-time says otherwise. Lines go to standard output, everything else to standard error.

--bundle makes a support bundle instead: status, checks, configuration, logs and the state of Windows in one zip file, with secrets hidden. It works on a broken host, and on one where nothing is set up; what could not be collected is told, and the exit code is 0.

Exit codes:
0: shown; also where there are no logs yet
2: wrong command line, or a pattern that takes too long
3: this is not Windows, and no simulated one was asked for
5: the bundle or the output could not be written
9: there is no node in this base directory; logs that are left of one are shown all the same
130: ended by Ctrl-C, as --follow is`

  static override examples = [
    {command: '<%= config.bin %> logs kubelet --tail 100', description: 'The last 100 entries of the kubelet'},
    {
      command: String.raw`<%= config.bin %> logs flanneld kubeproxy -Since 10m -Level warning`,
      description: 'What went wrong with the network in the last ten minutes',
    },
    {command: '<%= config.bin %> logs --follow --exclude "FLAG: "', description: 'Follow all of them'},
    {command: '<%= config.bin %> logs flanneld --previous', description: 'Why flanneld ended before its last start'},
    {
      command: String.raw`<%= config.bin %> logs -Bundle c:\support.zip`,
      description: 'A support bundle for a colleague or a vendor',
    },
  ]

  static override flags = {
    follow: Flags.boolean({summary: 'Go on with what is written from now on, until Ctrl-C.'}),
    tail: Flags.string({
      helpValue: '<n>',
      summary: 'Only the last entries, of all logs together; "all" or -1 for all.',
    }),
    since: Flags.string({helpValue: '<duration>', summary: 'Only what is newer: 90s, 10m, 1h30m, 7d.'}),
    'since-time': Flags.string({
      helpValue: '<time>',
      summary: 'Only from this time on: 2026-01-31T14:00:00Z, or without a zone in the time of the host.',
    }),
    until: Flags.string({helpValue: '<time>', summary: 'Only up to this time, or up to so long ago (10m).'}),
    level: Flags.option({options: LEVELS})({
      helpValue: '<level>',
      summary: 'Only this level and graver ones: info, warning, error or fatal.',
    }),
    grep: Flags.string({
      helpValue: '<pattern>',
      multiple: true,
      multipleNonGreedy: true,
      summary: 'Only what matches this regular expression; "(?i)" in front ignores case. Repeatable: any of them.',
    }),
    exclude: Flags.string({
      helpValue: '<pattern>',
      multiple: true,
      multipleNonGreedy: true,
      summary: 'Without what matches this regular expression. Repeatable.',
    }),
    previous: Flags.boolean({summary: 'The run of the daemon before its last start.'}),
    path: Flags.boolean({summary: 'Only print the folders of the logs, one a line.'}),
    bundle: Flags.string({helpValue: '<file.zip>', summary: 'Make a support bundle in this file.'}),
    yes: Flags.boolean({summary: 'Let --bundle replace a zip file that is there.'}),
    ...nodeFlags,
    output: Flags.option({options: FORMATS})({
      defaultHelp: async () => Promise.resolve('text'),
      helpGroup: 'GLOBAL',
      helpValue: '<format>',
      summary: 'Text for people, lines as they are in the files (raw), or a JSON object a line (json, ndjson).',
    }),
  }

  static override strict = false

  static override summary = 'Show the logs of this node, or make a support bundle.'

  static override usage = '<%= command.id %> [COMPONENT...] [FLAGS]'

  override async run(): Promise<number> {
    const {argv, flags} = await this.parse(Logs)
    const {bundle, output, ...global} = flags
    const format = output ?? (flags.json ? 'json' : 'text')
    if (bundle !== undefined) {
      const {writeBundle} = await import('../cli/write-bundle.js')
      return writeBundle({...global, bundle, ...(format !== 'raw' && {output: format})}, this.config, argv.map(String))
    }

    const {showLogs} = await import('../cli/show-logs.js')
    return showLogs(argv.map(String), {...global, output: format})
  }
}
