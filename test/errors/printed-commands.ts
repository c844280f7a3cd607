// What a text tells a user to run, run on a simulated host as it is printed.
import {openSimulator} from '../../src/simulator/simulator.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {type Ended, k8sWin} from '../cli/program.js'
import {type DiskHost, profileOf} from '../steps/host-folder.js'

export interface Printed {
  readonly command: string | null
  readonly fix: string
  readonly id: string
}

const simulated = (host: DiskHost): string[] => ['--simulate', profileOf(host.dir), '--simulate-dir', String(host.dir)]

/** As it is printed for a simulated host, without what starts k8s-win. */
const typed = (command: string): string[] =>
  [...command.replace(/^.*?(?:run\.js|k8s-win) /, '').matchAll(/"[^"]*"|\S+/g)].map(([word]) =>
    word.replaceAll('"', ''),
  )

const wordsOf = (command: string): string[] => typed(`k8s-win ${command}`)

export const errorsOf = (stdout: string): NonNullable<RunResultDocument['errors']> => {
  const {error, errors = error ? [error] : []} = JSON.parse(stdout) as RunResultDocument
  return errors
}

/** On the host, unless the command names it. */
export const runOn = (host: DiskHost, args: readonly string[]): Promise<Ended> =>
  k8sWin([...args, '--json', ...(args.includes('--simulate') ? [] : simulated(host))])

export async function problemsOn(host: DiskHost): Promise<StatusDocument['problems']> {
  const {stdout} = await runOn(host, ['status'])
  return (JSON.parse(stdout) as StatusDocument).problems
}

/** A command of Windows that k8s-win prints. */
async function runWindows(host: DiskHost, [program = '', ...args]: readonly string[]): Promise<void> {
  const machine = await openSimulator({dir: host.dir, profile: profileOf(host.dir)})
  const [verb = '', name = ''] = args
  if (/^(?:net|sc\.exe)$/.test(program) && verb === 'start') await machine.win32.startService(name)
  else if (/^(?:net|sc\.exe)$/.test(program) && verb === 'stop') await machine.win32.stopService(name)
  else if (program === 'ren') return host.move(below(verb), below(verb).replace(/[^\\]+$/, name))
  else if (/\.exe$/.test(program)) await machine.run(program, args, {deadlineMs: 60_000, effect: 'change'})
  else throw new Error(`${program} is not run here`)
  await machine.clock.sleep(20_000)
}

const below = (path: string): string => path.replace(/^[A-Z]:\\/, '')

/** The exit code of a command of k8s-win; 0 of another. */
export async function execute(host: DiskHost, command: string): Promise<Ended> {
  if (/(?:run\.js|k8s-win) /.test(command)) return runOn(host, typed(command))
  await runWindows(host, wordsOf(command))
  return {code: 0, stderr: '', stdout: ''}
}
