// What a launcher runs of user data in the form that it gets: the lines of a batch file, or one command line. It takes the text
// apart as that launcher does, and runs nothing of what it does not recognize.
import {gunzipSync} from 'node:zlib'
import {parse} from 'yaml'
import type {Machine} from '../../machine/machine.js'
import {type BatchHost, batchLines, runBatch, runCommand} from './batch.js'
import {azureCse, cloudbaseInit, cloudConfig, ec2launch, ec2launchV1, type Emulator, gce} from './emulators.js'
import {runWindowsProgram} from './windows-programs.js'
import {OWN_PROGRAM} from '../profiles/drive.js'

export type UserdataLauncher = 'azure-cse' | 'cloudbase-init' | 'ec2launch-v1' | 'ec2launch' | 'gce'

export interface Taken {
  readonly emulator: Emulator
  /** One line, given to cmd.exe as its argument. */
  readonly command?: string
  readonly lines?: readonly string[]
}

export function takeUserdata(launcher: UserdataLauncher, text: string): Taken {
  switch (launcher) {
    case 'azure-cse':
      return {command: commandToExecute(text), emulator: azureCse}
    case 'cloudbase-init':
      return cloudbase(text.startsWith('guestinfo.') ? guestinfo(text) : text)
    case 'ec2launch':
      return {emulator: ec2launch, lines: scriptTag(text)}
    case 'ec2launch-v1':
      return {emulator: ec2launchV1, lines: scriptTag(text)}
    case 'gce':
      return {emulator: gce, lines: batchLines(text)}
  }
}

/** What cmd.exe has of the variables that user data names. */
const VARIABLES = {ProgramFiles: String.raw`C:\Program Files`, SystemRoot: String.raw`C:\Windows`}

export interface TakenRun {
  readonly machine: Machine
  /** k8s-win.exe, with the variables that the script has set. */
  readonly own: (args: readonly string[], environment: Readonly<Record<string, string>>) => Promise<number>
  readonly print: (text: string) => void
}

/** The exit code that the launcher gets. */
export async function runTaken({command, lines = []}: Taken, {machine, own, print}: TakenRun): Promise<number> {
  const host: BatchHost = {
    files: machine.files,
    print,
    async run(program, args, {environment, input}) {
      if (program.toLowerCase() !== OWN_PROGRAM.toLowerCase()) return runWindowsProgram(machine, program, args, input)
      if (!(await machine.files.status(program))) throw new Error(`there is no ${program}`)
      return {exitCode: await own(args, environment)}
    },
  }
  return command === undefined ? runBatch(lines, host, VARIABLES) : runCommand(command, host, VARIABLES)
}

/** Where a launcher finds nothing that it can run, it reports success and runs nothing. */
const nothing = (launcher: string): Error => new Error(`${launcher} finds no script in this user data`)

/** docs.aws.amazon.com, "Run commands when you launch an EC2 instance with user data input". */
function scriptTag(text: string): string[] {
  const begin = text.indexOf('<script>') + '<script>'.length
  const content = text.slice(begin, Math.max(begin, text.indexOf('</script>', begin)))
  if (!text.includes('<script>') || content === '') throw nothing('EC2Launch')
  return batchLines(content)
}

function commandToExecute(text: string): string {
  const {protectedSettings} = JSON.parse(text) as {protectedSettings?: {commandToExecute?: unknown}}
  if (typeof protectedSettings?.commandToExecute !== 'string') throw nothing("Azure's extension")
  return protectedSettings.commandToExecute
}

/** vmwareguestinfoservice.py, _get_guestinfo_value and _decode. */
function guestinfo(text: string): string {
  const values = new Map(text.split('\n').map((line) => [line.split('=', 1)[0] ?? '', line.replace(/^[^=]*=/, '')]))
  const bytes = Buffer.from(values.get('guestinfo.userdata') ?? '', 'base64')
  switch (values.get('guestinfo.userdata.encoding')) {
    case 'base64':
      return bytes.toString('latin1')
    case 'gzip+base64':
      return gunzipSync(bytes).toString('latin1')
    default:
      throw nothing('cloudbase-init')
  }
}

/** plugins/common/userdata.py: by the headers, by the first line, by the first bytes of a script (userdatautils.py). */
function cloudbase(text: string): Taken {
  if (text.split('\n\n', 1)[0]?.includes('Content-Type: multipart')) return multipart(text)
  if (text.startsWith('#cloud-config')) return {emulator: cloudConfig, lines: runcmd(text)}
  if (!/^rem\s+cmd\s/.test(text)) throw nothing('cloudbase-init')
  return {emulator: cloudbaseInit, lines: batchLines(text)}
}

/** cloudconfigplugins/runcmd.py: every entry is a line of one file, which begins with "rem cmd". */
function runcmd(text: string): string[] {
  const {runcmd: entries} = parse(text) as {runcmd?: unknown}
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) throw nothing('cloudbase-init')
  return batchLines(['rem cmd', ...entries].join('\r\n'))
}

/** The last part that is a script; its name decides how it is run (shellscript.py, fileexecutils.py). */
function multipart(text: string): Taken {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(text) ?? []
  const parts = text.split(`\n--${boundary}`).slice(1, -1)
  const [head = '', ...body] = (parts.at(-1) ?? '').split('\n\n')
  const isScript = /^Content-Type: text\/x-shellscript/m.test(head) && /filename="[^"]+\.cmd"/.test(head)
  if (!isScript || !/^Content-Transfer-Encoding: base64$/m.test(head)) throw nothing('cloudbase-init')
  return {emulator: cloudbaseInit, lines: batchLines(Buffer.from(body.join('\n\n'), 'base64').toString('latin1'))}
}
