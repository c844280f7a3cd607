// The twin of a simulated host that is only read, with all that was asked of it.
import {interceptMachine, readOnlyMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {openTwin, type Twin} from '../../../src/simulator/twin/twin.js'
import type {World} from '../../../src/simulator/world.js'
import {HostFolder} from '../../steps/host-folder.js'

export const PIPE = String.raw`\\.\pipe\docker_engine`

export interface Rig {
  /** What the host was asked, as "what first-argument". */
  readonly asked: readonly string[]
  readonly host: Machine
  readonly twin: Twin
}

/** `node`: as the cluster reports it, where it has one. */
export async function open(sicken: (world: World) => void = () => {}, node?: object): Promise<Rig> {
  const {dir} = await HostFolder.fresh(sicken)
  const asked: string[] = []
  const host = interceptMachine(await openSimulator({dir, profile: 'ws2019', readOnly: true}), (effect, perform) => {
    asked.push(`${effect.what} ${effect.args[0] ?? ''}`)
    return perform()
  })
  const body = Buffer.from(JSON.stringify(node ?? {}))
  const ask = async (path: string) => ({body, headers: {}, status: node && path.includes('/nodes/') ? 200 : 404})
  const twin = await openTwin(readOnlyMachine(host), {
    cluster: {
      ask,
      assumedServices: [],
      clusterCIDR: '10.244.0.0/16',
      nodeName: 'win-1',
      serverURL: 'https://10.0.0.10:6443',
    },
    digests: {},
    dockerPipe: PIPE,
    isHealthy: async () => true,
    programs: {kubelet: 'v1.21.5'},
    services: ['docker', 'hns'],
  })
  return {asked, host, twin}
}
