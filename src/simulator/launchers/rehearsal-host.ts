// The new virtual machine of a rehearsal: the simulated Windows as it is installed, in the cloud and with the cluster and the
// secrets that the options of the user data expect.
import {createHash, X509Certificate} from 'node:crypto'
import {CLUSTER_CA} from '../cluster/certificates.js'
import {makeKubeconfig} from '../cluster/kubeconfig.js'
import type {SimulatorOptions} from '../simulator.js'
import {removeContainers} from '../windows/features.js'
import type {MetadataState} from '../world.js'

export interface Rehearsed {
  /** Whose metadata service and secret stores there are. */
  readonly cloud?: MetadataState['cloud'] | undefined
  /** Of k8s-win.exe. */
  readonly digest: string
  readonly kubeconfigFrom?: RehearsedSource | undefined
  /** To join; the simulated cluster has this address. */
  readonly server?: string | undefined
  readonly tokenFrom?: RehearsedSource | undefined
  readonly url: string
}

/** `text`: without the key. */
interface RehearsedSource {
  readonly key?: string
  readonly text: string
}

const keyOf = (pem: string): Buffer => new X509Certificate(pem).publicKey.export({format: 'der', type: 'spki'})

/** What of the real cluster no other one can have: a rehearsal runs with these in place of the given ones. */
export const SIMULATED_CLUSTER = {
  caCertHash: `sha256:${createHash('sha256').update(keyOf(CLUSTER_CA)).digest('hex')}`,
  token: 'abcdef.0123456789abcdef',
}

const BASE_DIR = String.raw`C:\k`

export function prepareRehearsal(rehearsed: Rehearsed): NonNullable<SimulatorOptions['prepare']> {
  const {cloud, digest, kubeconfigFrom, server, tokenFrom, url} = rehearsed
  return async ({files, isNew, world}) => {
    const {cluster, downloads, os} = world
    // Faults that machine.json has for this address stay.
    downloads[url] = {...downloads[url], sha256: digest}
    if (server !== undefined && server !== cluster.serverURL) {
      for (const {data} of cluster.configMaps) {
        for (const [name, text] of Object.entries(data)) data[name] = text.replaceAll(cluster.serverURL, server)
      }
      cluster.serverURL = server
    }

    // Where Docker is, the feature is there.
    if (isNew && !world.docker.running) removeContainers(world)
    // A new virtual machine has no base directory: an option brings what would be in it.
    const isSetUp = (await files.status(`${BASE_DIR}\\k8s-win`)) !== undefined
    if (isNew || (!isSetUp && (server !== undefined || kubeconfigFrom))) await files.remove(BASE_DIR)
    if (!cloud) return
    const kubeconfig = makeKubeconfig(cluster.serverURL, undefined, cluster.version)
    const secrets = {...os.metadata?.secrets}
    if (tokenFrom) secrets[tokenFrom.text] = secretFor(tokenFrom, SIMULATED_CLUSTER.token, secrets)
    if (kubeconfigFrom) secrets[kubeconfigFrom.text] = secretFor(kubeconfigFrom, kubeconfig, secrets)
    os.metadata = {...os.metadata, cloud, secrets}
  }
}

/** What its user has changed there stays, if it has the form that this rehearsal reads: an object with the key, or none. */
function secretFor({key, text}: RehearsedSource, secret: string, stored: Readonly<Record<string, string>>): string {
  const fields = fieldsIn(stored[text])
  if (key === undefined) return fields ? secret : (stored[text] ?? secret)
  return JSON.stringify({[key]: secret, ...fields})
}

function fieldsIn(stored = ''): object | undefined {
  try {
    const value: unknown = JSON.parse(stored)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
