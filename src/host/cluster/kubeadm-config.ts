// What kubeadm keeps of a cluster in ConfigMaps: its networks in kubeadm-config, and how its kubelets are configured. Every node may read it: kubeadm binds
// the Role kubeadm:nodes-kubeadm-config to system:nodes (kubernetes cmd/kubeadm/app/phases/uploadconfig/uploadconfig.go).
import {isMap, isScalar, isSeq} from 'yaml'
import {readYaml} from '../../config/yaml.js'

export const KUBEADM_CONFIG = {name: 'kubeadm-config', namespace: 'kube-system'} as const

/** The fields of ClusterConfiguration.networking, '' where it has none. Networks of two families are separated by commas. */
export interface KubeadmNetworking {
  readonly dnsDomain: string
  readonly podSubnet: string
  readonly serviceSubnet: string
}

/** Ten times what kubeadm writes. Nothing interrupts the parser, whose time grows with the square of some texts. */
const LONGEST = 16 * 1024

/** `text`: the key ClusterConfiguration. What is not YAML of that shape reads as nothing. */
export function readKubeadmNetworking(text: string): KubeadmNetworking {
  const {child, root, textOf} = openDocument(text, 'networking')
  const networking = child(root, 'networking')
  const field = (name: string): string => textOf(child(networking, name))
  return {dnsDomain: field('dnsDomain'), podSubnet: field('podSubnet'), serviceSubnet: field('serviceSubnet')}
}

/**
 * Where kubeadm keeps the configuration of the cluster's kubelets, under the key "kubelet": with the minor version in its
 * name up to 1.23 (cmd/kubeadm/app/constants, GetKubeletConfigMapName). Nodes and bootstrap tokens may read it.
 */
export const kubeletConfigs = (minor: number): readonly {readonly name: string; readonly namespace: string}[] =>
  ['kubelet-config', ...(minor < 24 ? [`kubelet-config-1.${minor}`] : [])].map((name) => ({
    name,
    namespace: 'kube-system',
  }))

export interface ClusterKubeletConfig {
  readonly clusterDNS: readonly string[]
  readonly clusterDomain: string
  /** As they are written: name=true. */
  readonly featureGates: readonly string[]
}

/** `text`: a KubeletConfiguration. What is not YAML of that shape reads as nothing. */
export function readKubeletConfig(text: string): ClusterKubeletConfig {
  const {child, follow, root, textOf} = openDocument(text, 'clusterDNS', 'clusterDomain', 'featureGates')
  const list = follow(child(root, 'clusterDNS'))
  return {
    clusterDNS: isSeq(list) ? list.items.map(textOf).filter((one) => one !== '') : [],
    clusterDomain: textOf(child(root, 'clusterDomain')),
    featureGates: gatesIn(follow(child(root, 'featureGates'))),
  }
}

/** Those of a KubeletConfiguration or a KubeProxyConfiguration. */
const gatesIn = (map: unknown): string[] =>
  isMap(map)
    ? map.items.flatMap(({key, value}) =>
        isScalar(key) && isScalar(value) ? [`${String(key.value)}=${String(value.value)}`] : [],
      )
    : []

/** kube-proxy's of the cluster; bootstrap tokens may read it (kubeadm, Role kube-proxy), nodes only with node-access. */
export const KUBE_PROXY_CONFIG = {name: 'kube-proxy', namespace: 'kube-system'} as const

/** `text`: the key config.conf. */
export function readKubeProxyGates(text: string): readonly string[] {
  const {child, follow, root} = openDocument(text, 'featureGates')
  return gatesIn(follow(child(root, 'featureGates')))
}

/** `keys`: all that is read of a long text, block by block: kubeadm starts each top-level key on a line of its own. */
function openDocument(text: string, ...keys: readonly string[]) {
  const isWanted = (block: string): boolean => keys.some((key) => block.startsWith(`${key}:`))
  const blocks =
    text.length > LONGEST
      ? text
          .split(/^(?=\w)/m)
          .filter(isWanted)
          .join('')
      : text
  const {follow, problems, root} = readYaml(blocks.length > LONGEST ? '' : blocks)
  return {
    child(node: unknown, name: string): unknown {
      const map = follow(node)
      if (!isMap(map)) return undefined
      return map.items.find(({key}) => isScalar(key) && key.value === name)?.value
    },
    follow,
    root: problems.length > 0 ? undefined : root,
    textOf(node: unknown): string {
      const found = follow(node)
      return isScalar(found) && typeof found.value === 'string' ? found.value : ''
    },
  }
}
