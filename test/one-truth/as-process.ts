// The second way: the built program as a process of its own, on the simulator.
import {once} from 'node:events'
import {text} from 'node:stream/consumers'
import {setTimeout as sleep} from 'node:timers/promises'
import type {RunResultDocument} from '../../src/pipeline/events.js'
import {startK8sWin} from '../cli/program.js'
import type {Way} from './scenario.js'
import {PROFILE, SimulatedTruth} from './simulated-host.js'

const LOOK_EVERY_MS = 2

export const asProcess: Way = {
  async open(scenario) {
    const host = await SimulatedTruth.make(scenario)
    const environment = {K8S_WIN_SIMULATE: PROFILE, K8S_WIN_SIMULATE_DIR: host.folder.dir}
    return {
      ...host.common,
      async setup(args, moment) {
        const child = startK8sWin(['setup', '--json', ...args], environment)
        let isOver = false
        const closed = (once(child, 'close') as Promise<[number | null]>).finally(() => (isOver = true))
        const output = Promise.all([text(child.stdout), text(child.stderr)])
        while (moment && !host.log.includes(moment.at)) {
          if (isOver) throw new Error(`The run ended and its log never had ${moment.at}.`)
          await sleep(LOOK_EVERY_MS)
        }

        if (moment?.then === 'killed') child.kill('SIGKILL')
        else if (moment) host.folder.remove(moment.then.removed.slice('C:\\'.length))
        const [code] = await closed
        const [stdout] = await output
        if (code === null) return undefined
        return {code, log: host.log, result: JSON.parse(stdout) as RunResultDocument}
      },
    }
  },
}
