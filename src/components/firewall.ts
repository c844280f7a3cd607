// The two doors a node opens.
import {KUBELET_PORT, VXLAN_PORT} from '../config/model.js'
import type {FirewallRule} from '../host/firewall.js'

const MADE_BY = 'Made by k8s-win.'

export const FIREWALL_RULES: readonly FirewallRule[] = [
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

export const isOurRule = (description: string): boolean => description.includes(MADE_BY)
