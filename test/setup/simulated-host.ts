// A simulated host in a folder, and the real command run on it as a process.
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {type Ended, k8sWin, startK8sWin} from '../cli/program.js'
import {DiskHost} from '../steps/host-folder.js'
import {temporaryFolder} from '../steps/rig.js'

export class SimulatedHost extends DiskHost {
  static async make(sicken: (world: World) => void = () => {}): Promise<SimulatedHost> {
    const host = new SimulatedHost(temporaryFolder())
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.edit(sicken)
    return host
  }

  setup(...args: readonly string[]): Promise<Ended> {
    return k8sWin(['setup', ...args], this.environment)
  }

  /** setup as a process that is still running. */
  start(...args: readonly string[]): ReturnType<typeof startK8sWin> {
    return startK8sWin(['setup', ...args], this.environment)
  }

  private get environment(): NodeJS.ProcessEnv {
    return {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: this.dir}
  }

  async setupJson(...args: readonly string[]): Promise<Ended & {result: RunResultDocument}> {
    const ended = await this.setup('--json', ...args)
    return {...ended, result: JSON.parse(ended.stdout) as RunResultDocument}
  }
}
