// k8s-win userdata: parse, make, print or write.
import * as Args from '@oclif/core/args'
import {Command} from '@oclif/core/command'
import {chooseClient} from '../cli/choose-machine.js'
import {readerExitCodes} from '../cli/exit-codes.js'
import {givenOptions, givenUserdata, globalFlags, outputFormat, userdataFlags} from '../cli/arguments/flag-table.js'
import {print} from '../cli/print.js'
import {type CommandSession, withSession} from '../cli/run/run-with-view.js'
import {rehearseUserdata} from '../cli/run/rehearse-userdata.js'
import {targetFile} from '../cli/run/target-file.js'
import {realMachine} from '../cli/this-machine.js'
import {USERDATA_CLOUDS} from '../config/options/userdata-options.js'
import {rememberingMachine} from '../machine/intercept.js'
import {makeUserdata} from '../runs/userdata/userdata.js'
import {demandVolumeTarget, writeVolume} from '../runs/userdata/volume.js'

export default class Userdata extends Command {
  static override args = {cloud: Args.string({description: `${USERDATA_CLOUDS.join(', ')}.`})}

  static override description = `Prints user data with which a new virtual machine becomes a node: a few lines for cmd.exe that download k8s-win.exe into %ProgramFiles%\\k8s-win, run it only with the given digest, and run setup with the options that follow. Runs on any system and asks no cluster. The same options print the same text.

Options are checked as setup checks them; environment variables of this machine are ignored. The files of --config and --client-ca-file are embedded. Secrets are refused: use --token-from or --kubeconfig-from, with which the node fetches them itself.

With --rehearse nothing is printed or written but what happens on a simulated Windows Server, in memory or in the folder of --simulate-dir. The exit code is then 0 if the node is Ready in the end, otherwise that of the last setup.

${readerExitCodes([0, 'printed, or written'], [2, 'invalid command line, or an option that user data cannot have'], [3, 'the file of --token-file, or the simulated host, cannot be used'], [4, '--rehearse: k8s-win.exe was not run'], [5, 'the output could not be written'], 130)}`

  static override examples = [
    {
      command:
        '<%= config.bin %> userdata aws --program-url https://example.com/k8s-win.exe --program-digest sha256:<hex> --server https://10.0.0.1:6443 --ca-cert-hash sha256:<hex> --token-from aws-ssm:/k8s/join --enable-features',
      description: 'User data of an EC2 instance; the node fetches its token',
    },
    {
      command:
        '<%= config.bin %> userdata hyperv --iso win-1.iso --program-url https://example.com/k8s-win.exe --program-digest sha256:<hex> --config node.yaml --token-file - --inline-secret',
      description: 'A volume for cloudbase-init, with the token in it',
    },
    {
      command:
        '<%= config.bin %> userdata gce --program-url https://example.com/k8s-win.exe --program-digest sha256:<hex> --kubeconfig-from gcp-sm:my-project/kubeconfig --enable-features --rehearse',
      description: 'Show what the user data does, on a simulated host and with simulated secrets',
    },
  ]

  static override flags = {...userdataFlags, ...globalFlags}

  // oclif would report a second argument as a bug.
  static override strict = false

  static override summary = 'Print user data (a start-up script) with which a cloud sets up new nodes.'

  static override usage = `<%= command.id %> ${USERDATA_CLOUDS.join('|')} [FLAGS]`

  override async run(): Promise<number> {
    const parsed = await this.parse(Userdata)
    const {argv, flags} = parsed
    const isRehearsed = flags['rehearse'] === true
    // A rehearsal is made on a simulated host, of files of this machine.
    const machine = await (isRehearsed ? realMachine() : chooseClient(flags, true))
    const work = async (session: CommandSession): Promise<number> => {
      const path = isRehearsed ? undefined : (flags['iso'] as string | undefined)
      const target = path === undefined ? undefined : await targetFile(flags, path, machine.files)
      const request = {
        ...session,
        cloud: argv.map(String).join(' '),
        given: givenOptions(parsed),
        own: givenUserdata(parsed),
      }
      if (target) await demandVolumeTarget(target, machine.clock)
      const document = await makeUserdata(request)
      if (target) await writeVolume(target, machine, document)
      for (const warning of document.warnings) process.stderr.write(`Warning: ${warning}.\n`)
      if (isRehearsed) return await rehearseUserdata(flags, request, document)
      // Not through the redactor: a token is there only if it was asked for.
      if (target || outputFormat(flags) !== 'text')
        return print(flags, [`Wrote ${target?.path}.`], {...document, ...(target && {iso: target.path})})
      process.stdout.write(document.userdata)
      return 0
    }
    // A pipe can be read only once: its options are read, it is embedded, and a rehearsal reads it again.
    const chosen = {machine: rememberingMachine(machine)}
    return withSession(chosen, flags, this.config.root, work, 'Stopping; nothing is printed.\n')
  }
}
