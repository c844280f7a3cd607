// What the two ways on the simulator have in common: the host's folder, what happens to it, and how it is checked.
import {win32} from 'node:path'
import type {RuntimeName} from '../../src/config/model.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {traceOf} from '../../src/output/run/run-log.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {assets as packaged} from '../fixtures/assets.js'
import {TOKEN} from '../join/joining-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {HAPPENINGS} from './happenings.js'
import {describeNode} from './node-state.js'
import {ADMIN_FILE, type Scenario, TOKEN_FILE, type TruthHost} from './scenario.js'

/** A host without containerd, as k8s-win installs it. */
const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}

export const ADMIN_KUBECONFIG = makeKubeconfig('https://10.0.0.10:6443', ADMIN_CERTIFICATE)

export const profileOf = ({runtime}: Pick<Scenario, 'runtime'>): string => PROFILES[runtime]

export class SimulatedTruth<Folder extends HostFolder = HostFolder> {
  private constructor(
    readonly scenario: Scenario,
    readonly folder: Folder,
    readonly assets: Assets,
  ) {}

  /** `assets`: of a run in this process. */
  static async make<Folder extends HostFolder>(
    scenario: Scenario,
    folder: Folder,
    assets = packaged,
  ): Promise<SimulatedTruth<Folder>> {
    const host = new SimulatedTruth(scenario, folder, assets)
    await host.machine()
    host.folder.edit((world) => {
      const name = scenario.interfaceName ?? 'Ethernet0'
      world.adapters = world.adapters.map((one) => (one.gateways.length > 0 ? {...one, name} : one))
    })
    host.folder.put(ADMIN_FILE.slice('C:\\'.length), ADMIN_KUBECONFIG)
    host.folder.put(TOKEN_FILE.slice('C:\\'.length), `${TOKEN}\n`)
    return host
  }

  /** The host as a new process finds it. */
  machine({readOnly = false} = {}): Promise<Machine> {
    return openSimulator({dir: this.folder.dir, profile: profileOf(this.scenario), readOnly})
  }

  /** What every way on the simulator does alike. */
  get common(): Pick<TruthHost, 'close' | 'happens' | 'state'> {
    return {
      close: async () => this.folder.discard(),
      happens: async (name) => HAPPENINGS[name](await this.machine(), async (standIn) => makeStandIn(standIn)),
      state: async () => describeNode(await this.machine(), this.scenario.baseDir),
    }
  }

  /** The trace beside the log that the run's document names. */
  logOf({log}: RunResultDocument): string {
    return log === undefined ? '' : this.folder.read(traceOf(log).slice('C:\\'.length))
  }

  /** The trace of the newest run, whose name comes after its log's; empty where there is none yet. */
  get log(): string {
    const folder = win32.join(this.scenario.baseDir.slice('C:\\'.length), 'logs', 'k8s-win')
    if (!this.folder.has(folder)) return ''
    const newest = this.folder.list(folder).at(-1)
    return newest === undefined ? '' : this.folder.read(win32.join(folder, newest))
  }
}
