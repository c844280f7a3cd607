// The ports a node opens.
import {KUBE_PROXY_PORT, KUBELET_PORT, VXLAN_PORT} from '../config/model.js'
import type {FirewallRule} from '../host/firewall.js'

const MADE_BY = 'Made by k8s-win.'

/** Without these the node does not work. */
export const NEEDED_RULES: readonly FirewallRule[] = [
  {
    description: `The API server calls the kubelet. ${MADE_BY}`,
    name: `k8s-win kubelet TCP ${KUBELET_PORT}`,
    port: KUBELET_PORT,
    protocol: 'TCP',
  },
  {
    description: `Pod traffic between the nodes. ${MADE_BY}`,
    name: `k8s-win flannel VXLAN UDP ${VXLAN_PORT}`,
    port: VXLAN_PORT,
    protocol: 'UDP',
  },
]

export const FIREWALL_RULES: readonly FirewallRule[] = [
  ...NEEDED_RULES,
  {
    description: `External load balancers check the health of kube-proxy. ${MADE_BY}`,
    name: `k8s-win kube-proxy TCP ${KUBE_PROXY_PORT}`,
    port: KUBE_PROXY_PORT,
    protocol: 'TCP',
  },
]

export const isOurRule = (description: string): boolean => description.includes(MADE_BY)
