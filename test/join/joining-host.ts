// A simulated host without a kubeconfig, and what its user types to join the simulated cluster with a token.
import {createHash, X509Certificate} from 'node:crypto'
import type {GivenOptions} from '../../src/config/options/options.js'
import {CLUSTER_CA} from '../../src/simulator/cluster/certificates.js'
import type {World} from '../../src/simulator/world.js'
import {setupOn, type InProcessRun, type Watch} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

export const PROFILE = 'ws2022-containerd'
export const TOKEN = 'abcdef.0123456789abcdef'
export const SERVER = 'https://10.0.0.10:6443'
export const BOOTSTRAP_FILE = String.raw`k\bootstrap-kubeconfig`
export const KUBECONFIG = String.raw`k\kubeconfig`
export const KEYS = String.raw`var\lib\kubelet\pki`

export const hashOf = (pem: string): string => {
  const key = new X509Certificate(pem).publicKey.export({format: 'der', type: 'spki'})
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}

export const JOIN: GivenOptions = {
  'base-images': 'none',
  'ca-cert-hash': [hashOf(CLUSTER_CA)],
  server: SERVER,
  token: TOKEN,
}

export async function joiningHost(sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  const host = await HostFolder.fresh(sicken, PROFILE)
  host.remove(KUBECONFIG)
  return host
}

export const joinOn = (host: HostFolder, given: GivenOptions = {}, watch: Watch = {}): Promise<InProcessRun> =>
  setupOn(host.dir, {...JOIN, ...given}, watch, PROFILE)

/** Of the events of a run. */
export const warningsOf = ({events}: InProcessRun): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.level === 'warn' ? [event.message] : []))

/** Where on the host it is: what the cluster knows of its own token is not on the host. */
export function placesOfToken(host: HostFolder): string[] {
  const {cluster: _, ...world} = host.world
  const paths = host.paths.filter((path) => {
    const name = path.replaceAll('/', '\\')
    return host.has(name) && isFile(host, name) && host.read(name).includes(TOKEN)
  })
  return [...paths, ...(JSON.stringify(world).includes(TOKEN) ? ['the world'] : [])]
}

function isFile(host: HostFolder, name: string): boolean {
  try {
    host.read(name)
    return true
  } catch {
    return false
  }
}
