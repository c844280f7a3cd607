// Checks of the cluster's flannel: the same overlay on all nodes, and one that Windows can speak.
import {formatCidr, networkOf, parseCidr} from '../config/cidr.js'
import {VXLAN_ID, VXLAN_PORT} from '../config/model.js'
import {flannelNetworkElsewhere, flannelUnfit} from '../errors/cluster.js'
import {type K8sWinError, ProblemsError} from '../errors/k8s-win-error.js'
import {parseJson} from '../host/document.js'
import {type Check, pass, type Verdict, warn} from './check.js'
import type {HostFacts} from './facts.js'
import {unlessForbidden} from './forbidden.js'
import {ofCluster} from './server-checks.js'

/** Where newer manifests put it, and older ones. */
const NAMESPACES = ['kube-flannel', 'kube-system']
const CONFIG_MAP = 'kube-flannel-cfg'
const BACKEND = `"Backend": {"Type": "vxlan", "VNI": ${VXLAN_ID}, "Port": ${VXLAN_PORT}}`
/** flannel's own defaults on Linux. */
const DEFAULTS = {port: 8472, type: 'udp', vni: 1}

export const flannelConfig: Check = ofCluster({
  id: 'flannel-config',
  async run(facts) {
    const found = await findConfig(facts)
    if (!found.text) return byNodes(facts, found.isHidden)
    const settings = readSettings(found.text)
    if (!settings) {
      return warn(
        `${CONFIG_MAP} in ${found.namespace} has a net-conf.json that is no JSON object`,
        `It should say "Network": "${facts.config.clusterCIDR}", ${BACKEND}.`,
      )
    }

    const {network, port, type, vni} = settings
    const {clusterCIDR} = facts.config
    const problems: K8sWinError[] = []
    if (type !== 'vxlan' || vni !== VXLAN_ID || port !== VXLAN_PORT) {
      const seen = type === 'vxlan' ? `VNI ${vni} and port ${port}` : `the backend ${type}`
      problems.push(flannelUnfit({change: changeIn(found.namespace), seen: `Its net-conf.json has ${seen}`}))
    }

    if (network !== clusterCIDR) problems.push(flannelNetworkElsewhere({cluster: clusterCIDR, network}))
    if (problems.length > 0) throw new ProblemsError(problems)
    return pass(`VXLAN with VNI ${vni} on port ${port}, network ${network}`)
  },
  title: "The cluster's flannel",
})

interface FoundConfig {
  /** Somewhere it could not be looked for. */
  readonly isHidden: boolean
  readonly namespace: string
  readonly text: string
}

async function findConfig(facts: HostFacts): Promise<FoundConfig> {
  const cluster = await facts.cluster()
  let isHidden = false
  for (const namespace of NAMESPACES) {
    const answer = await unlessForbidden(cluster.configMap(namespace, CONFIG_MAP).then((data) => ({data})))
    isHidden ||= answer === undefined
    const text = answer?.data?.['net-conf.json']
    if (text) return {isHidden, namespace, text}
  }

  return {isHidden, namespace: '', text: ''}
}

/** A node's own identity may not read the configuration, but it may see what every flanneld tells of itself. */
async function byNodes(facts: HostFacts, isHidden: boolean): Promise<Verdict> {
  const nodes = (await unlessForbidden(facts.nodes())) ?? []
  const other = nodes.find(({os, vni}) => os === 'linux' && vni !== undefined && vni !== VXLAN_ID)
  if (other) {
    const seen = `flanneld on ${other.name} has VNI ${other.vni}`
    throw flannelUnfit({change: changeIn(String(NAMESPACES[0])), seen})
  }

  const known = nodes.some(({vni}) => vni === VXLAN_ID)
    ? `its nodes have VNI ${VXLAN_ID}, but the rest is not known`
    : ''
  const why = isHidden ? 'this identity may not read it' : `there is none in ${NAMESPACES.join(' or ')}`
  return warn(
    [`flannel's configuration (${CONFIG_MAP}) was not seen: ${why}`, known].filter(Boolean).join('; '),
    `See that it has ${BACKEND} and "Network": "${facts.config.clusterCIDR}": kubectl get configmaps -A --field-selector metadata.name=${CONFIG_MAP} -o yaml`,
  )
}

const changeIn = (namespace: string): string =>
  `Put ${BACKEND} into net-conf.json ("kubectl -n ${namespace} edit configmap ${CONFIG_MAP}"), ` +
  `then restart flannel on all nodes: "kubectl -n ${namespace} rollout restart daemonset kube-flannel-ds".`

/** Go takes keys in any case. Undefined for what is no JSON object. */
function readSettings(text: string): {network: string; port: number; type: string; vni: number} | undefined {
  const settings = lowerKeys(parseJson(text))
  if (!settings) return undefined
  const backend = lowerKeys(settings.get('backend')) ?? new Map<string, unknown>()
  // A number in quotes is none to Go, which then refuses the whole file.
  const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
  const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)
  const given = textOf(settings.get('network'), 'not given')
  const network = parseCidr(given)
  return {
    network: network ? formatCidr(networkOf(network)) : given,
    port: numberOf(backend.get('port') ?? DEFAULTS.port),
    type: textOf(backend.get('type'), DEFAULTS.type).toLowerCase(),
    vni: numberOf(backend.get('vni') ?? DEFAULTS.vni),
  }
}

function lowerKeys(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return new Map(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner]))
}
