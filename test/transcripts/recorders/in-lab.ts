// Runs Windows programs on a machine of the lab and brings back their very bytes and whole exit codes.
import type {LabMachine} from '../../lab/lab.js'

export interface LabCall {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly program: string
}

export interface LabAnswer {
  readonly err: Buffer
  readonly exitCode: number
  readonly out: Buffer
}

const CALLS = 'C:\\lab\\calls.json'
const ANSWERS = 'C:\\lab\\answers.json'

/** Run by node.exe: pipes between Windows programs carry bytes as they are. */
const SCRIPT = `
const {spawnSync} = require('child_process')
const fs = require('fs')
const calls = JSON.parse(fs.readFileSync(process.argv[1], 'utf8'))
const answers = calls.map(({args, env, input = '', program}) => {
  const {error, status, stderr, stdout} = spawnSync(program, args, {env: {...process.env, ...env}, input, timeout: 60_000})
  if (error) throw error
  return {err: stderr.toString('base64'), exitCode: status, out: stdout.toString('base64')}
})
fs.writeFileSync(process.argv[2], JSON.stringify(answers))
`

/** One after the other; `environment` is the machine's, its language among it. */
export async function runInLab(
  machine: LabMachine,
  calls: readonly LabCall[],
  environment: Readonly<Record<string, string>> = {},
): Promise<LabAnswer[]> {
  const ended = await machine.run({
    args: ['-e', SCRIPT, '--', CALLS, ANSWERS],
    env: environment,
    files: {[CALLS]: JSON.stringify(calls)},
  })
  if (ended.code !== 0) throw new Error(`The calls were not made: ${ended.stderr}`)
  const answers = JSON.parse(await machine.read(ANSWERS)) as {err: string; exitCode: number; out: string}[]
  return answers.map(({err, exitCode, out}) => ({
    err: Buffer.from(err, 'base64'),
    exitCode,
    out: Buffer.from(out, 'base64'),
  }))
}

/** As a person would type it. */
export const typed = ({args, program}: LabCall): string =>
  [program.replace(/^.*\\/, ''), ...args.map((arg) => (/[\s"]|^$/.test(arg) ? `"${arg}"` : arg))].join(' ')
