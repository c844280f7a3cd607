// The second way: the built program on the simulator, as a process of its own wherever something happens to that process.
import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {text} from 'node:stream/consumers'
import {setTimeout as sleep} from 'node:timers/promises'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {k8sWin, startK8sWin} from '../cli/program.js'
import {DiskHost} from '../steps/host-folder.js'
import type {EndedRun} from './run-record.js'
import type {Moment, Way} from './scenario.js'
import {secondRun} from './second-run.js'
import {profileOf, SimulatedTruth} from './simulated-host.js'

const POLL_MS = 2

interface Running {
  readonly child: ChildProcess
  /** Undefined where it was killed. */
  readonly ended: Promise<EndedRun | undefined>
}

export const asProcess: Way = {
  async open(scenario) {
    const host = await SimulatedTruth.make(scenario, DiskHost.empty())
    return {
      ...host.common,
      run: (command, args) => call(host, [command, '--json', ...args]),
      async setup(args, moment, by) {
        if (!moment) return call(host, [by ?? 'setup', '--json', ...args])
        const running = start(host, args)
        const meanwhile = moment && (await disturb(host, running, args, moment))
        const ended = await running.ended
        return ended && {...ended, ...(meanwhile && {meanwhile})}
      },
    }
  },
}

const environmentOf = (host: SimulatedTruth<DiskHost>): NodeJS.ProcessEnv => ({
  K8S_WIN_SIMULATE: profileOf(host.scenario),
  K8S_WIN_SIMULATE_DIR: host.folder.dir,
})

async function call(host: SimulatedTruth<DiskHost>, args: readonly string[]): Promise<EndedRun> {
  const {code, stdout} = await k8sWin(args, environmentOf(host))
  if (code === null) throw new Error(`${args.join(' ')} did not end`)
  const result = JSON.parse(stdout) as RunResultDocument
  return {code, log: host.logOf(result), result}
}

function start(host: SimulatedTruth<DiskHost>, args: readonly string[]): Running {
  const child = startK8sWin(['setup', '--json', ...args], environmentOf(host))
  const closed = once(child, 'close') as Promise<[number | null]>
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const end = async (): Promise<EndedRun | undefined> => {
    const [code] = await closed
    const [stdout] = await output
    if (code === null) return undefined
    const result = JSON.parse(stdout) as RunResultDocument
    return {code, log: host.logOf(result), result}
  }
  return {child, ended: end()}
}

async function disturb(
  host: SimulatedTruth<DiskHost>,
  {child, ended}: Running,
  args: readonly string[],
  {at, then}: Moment,
): Promise<EndedRun | undefined> {
  let isOver = false
  void ended.finally(() => (isOver = true)).catch(() => undefined)
  while (!host.log.includes(at)) {
    if (isOver) throw new Error(`The run ended and its log never had ${at}.`)
    await sleep(POLL_MS)
  }

  if (then === 'killed') child.kill('SIGKILL')
  else if (then === 'interrupted') child.kill('SIGINT')
  else if ('removed' in then) host.folder.remove(then.removed.slice('C:\\'.length))
  else {
    // On simulated time the rest takes no longer than the other needs to start.
    child.kill('SIGSTOP')
    try {
      const second = await start(host, then.setup).ended
      return second && secondRun(second, child.pid!, args)
    } finally {
      child.kill('SIGCONT')
    }
  }

  return undefined
}
