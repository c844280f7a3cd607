// Checks of the cluster's flannel: the same overlay network on all nodes, compatible with Windows.
import {NODE_ACCESS_COMMAND} from '../../components/node-access.js'
import {formatCidr, networkOf, parseCidr} from '../../config/cidr.js'
import {VXLAN_ID, VXLAN_PORT} from '../../config/model.js'
import {flannelNetworkElsewhere, flannelUnfit, hostProcessNetwork} from '../../errors/cluster.js'
import {type K8sWinError, ProblemsError} from '../../errors/k8s-win-error.js'
import {pasted} from '../../errors/define.js'
import type {DaemonSet} from '../../host/cluster/objects.js'
import {parseJson} from '../../host/document.js'
import {shortList} from '../../pipeline/short-list.js'
import {check, type Check, dependsOn, type Finding, notChecked, pass, warn} from '../check.js'
import {type Facts, unlessForbidden} from '../facts.js'
import {labelsOf, landsOn, type NodeFace} from './placement.js'

/** Of newer manifests and of older ones. */
const NAMESPACES = ['kube-flannel', 'kube-system']
const CONFIG_MAP = 'kube-flannel-cfg'
export const FLANNEL_CONFIG = NAMESPACES.map((namespace) => ({name: CONFIG_MAP, namespace}))
const BACKEND = `"Backend": {"Type": "vxlan", "VNI": ${VXLAN_ID}, "Port": ${VXLAN_PORT}}`
/** flannel's own defaults on Linux. */
const DEFAULTS = {port: 8472, type: 'udp', vni: 1}

const flannelConfig = check('flannel-config', {needs: ['cluster'], title: 'flannel configuration'}, async (facts) => {
  const found = await findConfig(facts)
  if (!found.text) return byNodes(facts, found.isHidden)
  const settings = readSettings(found.text)
  if (!settings) {
    return warn(
      `${CONFIG_MAP} in ${found.namespace} has a net-conf.json that is not a JSON object`,
      `It should contain "Network": "${facts.config.clusterCIDR}", ${BACKEND}.`,
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
})

interface FoundConfig {
  /** The identity may not read it in one of the namespaces. */
  readonly isHidden: boolean
  readonly namespace: string
  readonly text: string
}

async function findConfig(facts: Facts): Promise<FoundConfig> {
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

/** A node's own identity may not read the configuration, but it may read the annotations of every flanneld. */
async function byNodes(facts: Facts, isHidden: boolean): Promise<Finding> {
  const nodes = (await unlessForbidden(facts.nodeMetadata())) ?? []
  const other = nodes.find(({os, vni}) => os === 'linux' && vni !== undefined && vni !== VXLAN_ID)
  if (other) {
    const seen = `flanneld on ${other.name} has VNI ${other.vni}`
    throw flannelUnfit({change: changeIn(String(NAMESPACES[0])), seen})
  }

  const known = nodes.some(({vni}) => vni === VXLAN_ID) ? `its nodes have VNI ${VXLAN_ID}, but the rest is unknown` : ''
  const why = isHidden ? 'this identity is not allowed to read it' : `not found in ${NAMESPACES.join(' or ')}`
  return warn(
    [`flannel's configuration (${CONFIG_MAP}) was not checked: ${why}`, known].filter(Boolean).join('; '),
    `${isHidden ? `${LET_NODES}check` : 'Check'} that it has ${BACKEND} and "Network": "${facts.config.clusterCIDR}": kubectl get configmaps -A --field-selector metadata.name=${CONFIG_MAP} -o yaml`,
  )
}

const LET_NODES = `An administrator can let all nodes read it: ${NODE_ACCESS_COMMAND}. Or `

const changeIn = (namespace: string): string =>
  `Set ${BACKEND} in net-conf.json ("kubectl -n ${pasted(namespace)} edit configmap ${CONFIG_MAP}"), ` +
  `then restart flannel on all nodes: "kubectl -n ${pasted(namespace)} rollout restart daemonset kube-flannel-ds".`

/** Like Go, which accepts keys in any case. Undefined if it is not a JSON object. */
function readSettings(text: string): {network: string; port: number; type: string; vni: number} | undefined {
  const settings = lowerKeys(parseJson(text))
  if (!settings) return undefined
  const backend = lowerKeys(settings.get('backend')) ?? new Map<string, unknown>()
  // Go rejects a file with a number in quotes.
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

/** The pod network in a net-conf.json. */
export const flannelNetwork = (text: string): string | undefined => readSettings(text)?.network

function lowerKeys(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return new Map(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner]))
}

/**
 * In YAML, without quotes: cmd.exe does not know single quotes, and Windows PowerShell drops double quotes inside an
 * argument. It does not begin with a brace, because kubectl reads that as JSON (apimachinery pkg/util/yaml, ToJSON).
 */
const ON_LINUX = 'spec: {template: {spec: {nodeSelector: {kubernetes.io/os: linux}}}}'

const patchOf = ({name, namespace}: DaemonSet): string =>
  `kubectl -n ${pasted(namespace)} patch daemonset ${pasted(name)} --type merge -p "${ON_LINUX}"`

const NEEDED = 'needs permission to list DaemonSets: kubectl get daemonsets -A'
/** Said once, by the first of these checks. */
const DAEMON_SETS_NOT_LISTED = dependsOn('flannel-daemonset', NEEDED)

const flannelDaemonSet = check(
  'flannel-daemonset',
  {needs: ['cluster'], on: 'host', title: 'flannel DaemonSet'},
  async (facts) => {
    const sets = await landing(facts)
    if (!sets) return notChecked(`kube-flannel-ds must not run on Windows (${NEEDED})`)
    const flannel = sets.filter(isFlannel)
    if (flannel.length === 0) return pass('no flannel DaemonSet for Linux would be scheduled on this node')
    return warn(
      `${flannel.map(({name, namespace}) => `${namespace}/${name}`).join(', ')} would be scheduled on this node and never start`,
      `Restrict it to Linux nodes: ${flannel.map(patchOf).join(' and ')}`,
    )
  },
)

const linuxDaemonSets = check(
  'linux-daemonsets',
  {needs: ['cluster'], on: 'host', title: 'Linux DaemonSets'},
  async (facts) => {
    const sets = await landing(facts)
    if (!sets) return DAEMON_SETS_NOT_LISTED
    const others = sets.filter((set) => !isFlannel(set))
    const [first] = others
    if (!first) return pass('no DaemonSet without a node selector would be scheduled on this node')
    return warn(
      `would be scheduled on this node, and fail if they are for Linux: ${shortList(others.map(({name, namespace}) => `${namespace}/${name}`))}`,
      `Restrict them to Linux nodes, for example: ${patchOf(first)}. Or add a taint to this node: --taint os=windows:NoSchedule.`,
    )
  },
)

/** Those of sig-windows-tools, or copies of them under other names. With Docker the kubelet runs no host processes. */
const hostProcessDaemonSets = check(
  'host-process-daemonsets',
  {needs: ['cluster'], on: 'host', runtime: 'containerd', title: 'Host process DaemonSets'},
  async (facts) => {
    const sets = await unlessForbidden(facts.daemonSets())
    if (!sets) return DAEMON_SETS_NOT_LISTED
    const node = await faceOf(facts)
    const conflicting = sets.filter(
      ({hostProcessImages: images, ...set}) =>
        images !== undefined && [set.name, ...images].some((name) => NETWORK_DAEMONS.test(name)) && landsOn(set, node),
    )
    if (conflicting.length === 0) return pass('no DaemonSet would run flannel or kube-proxy on this node')
    throw hostProcessNetwork({
      commands: conflicting
        .map(({name, namespace}) => `"kubectl -n ${pasted(namespace)} delete daemonset ${pasted(name)}"`)
        .join(', '),
      node: node.name,
      sets: conflicting.map(({name, namespace}) => `${namespace}/${name}`).join(', '),
    })
  },
)

const NETWORK_DAEMONS = /flannel|kube-?proxy/i

const isFlannel = ({name}: DaemonSet): boolean => name.includes('flannel')

/** DaemonSets that would be scheduled here although they do not select Windows. */
async function landing(facts: Facts): Promise<readonly DaemonSet[] | undefined> {
  const sets = await unlessForbidden(facts.daemonSets())
  if (!sets) return undefined
  const node = await faceOf(facts)
  const onLinux = {...node, labels: {...node.labels, 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/os': 'linux'}}
  // A set that would also be scheduled on the same node with Linux does not select the operating system.
  return sets.filter((set) => landsOn(set, node) && landsOn(set, onLinux))
}

/** This node as the scheduler will see it. */
async function faceOf(facts: Facts): Promise<NodeFace> {
  const [name, version] = await Promise.all([facts.nodeName(), facts.version()])
  const {nodeLabels, taints} = facts.config
  return {labels: labelsOf(name, version?.build ?? 0, nodeLabels), name, taints}
}

export const FLANNEL_CHECKS: readonly Check[] = [
  flannelConfig,
  flannelDaemonSet,
  linuxDaemonSets,
  hostProcessDaemonSets,
]
