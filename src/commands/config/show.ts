// k8s-win config show: parse, gather, print.
import {Command} from '@oclif/core'
import {chooseReader} from '../../cli/choose-machine.js'
import {configurationFlags, givenOptions, globalFlags, outputFormat} from '../../cli/flag-table.js'

export default class ConfigShow extends Command {
  static override description = `Puts the configuration together as setup does - command line, environment (K8S_WIN_...), the file of --config, what the last setup stored in <BaseDir>\\k8s-win\\node.yaml, defaults - and prints each option with its value and where it comes from. Everything wrong in any of them is told at once. Nothing is changed.

Exit codes: 0 shown; 2 wrong command line or configuration; 3 what the last setup stored cannot be used; 5 the output could not be written.`

  static override examples = [
    {
      command: String.raw`<%= config.bin %> config show -BaseDir c:\k -Config c:\node.yaml`,
      description: 'What setup would use with this file',
    },
    {
      command: '<%= config.bin %> config show --config node.yaml --json',
      description: 'The same for programs, on any system',
    },
  ]

  static override flags = {...configurationFlags, ...globalFlags}

  static override summary = 'Show what setup would use, and where each value comes from.'

  // With a blank: oclif's readme writes an id with a colon.
  static override usage = 'config show [FLAGS]'

  override async run(): Promise<number> {
    const parsed = await this.parse(ConfigShow)
    const {flags} = parsed
    const [
      {machine, withStored},
      {showConfiguration},
      {configDocument, configLines},
      {bannerLines},
      {redactAll},
      {redactor},
    ] = await Promise.all([
      chooseReader(flags, process.platform),
      import('../../runs/config-show.js'),
      import('../../output/text/config-table.js'),
      import('../../output/text/simulated-banner.js'),
      import('../../output/redact.js'),
      import('../../cli/redactor.js'),
    ])
    const shown = await showConfiguration({
      dockerHost: flags.simulate === undefined ? process.env.DOCKER_HOST : undefined,
      environment: process.env,
      flags: givenOptions(parsed),
      machine,
      signal: new AbortController().signal,
      withStored,
    })
    const options = redactAll(shown, redactor.redact)
    const format = outputFormat(flags)
    const text =
      format === 'text'
        ? [...bannerLines(machine.simulated), ...configLines(options)].join('\n')
        : JSON.stringify(configDocument(options, machine.simulated), undefined, format === 'json' ? 2 : undefined)
    process.stdout.write(`${text}\n`)
    return 0
  }
}
