// The networks of a cluster as kubeadm keeps them in the ConfigMap kubeadm-config. Every node may read it: kubeadm binds
// the Role kubeadm:nodes-kubeadm-config to system:nodes (kubernetes cmd/kubeadm/app/phases/uploadconfig/uploadconfig.go).
import {isMap, isScalar} from 'yaml'
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
  const {follow, problems, root} = readYaml(text.length > LONGEST ? '' : text)
  const child = (node: unknown, name: string): unknown => {
    const map = follow(node)
    if (!isMap(map)) return undefined
    return map.items.find(({key}) => isScalar(key) && key.value === name)?.value
  }
  const networking = problems.length > 0 ? undefined : child(root, 'networking')
  const field = (name: string): string => {
    const found = follow(child(networking, name))
    return isScalar(found) && typeof found.value === 'string' ? found.value : ''
  }
  return {dnsDomain: field('dnsDomain'), podSubnet: field('podSubnet'), serviceSubnet: field('serviceSubnet')}
}
