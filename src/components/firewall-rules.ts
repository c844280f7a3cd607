// The firewall rules of a node: the ports it opens, and the mark by which k8s-win recognises its rules.
import {KUBE_PROXY_PORT, KUBELET_PORT, VXLAN_PORT} from '../config/model.js'
import type {FirewallRule} from '../host/firewall.js'

const MADE_BY = 'Made by k8s-win.'

const rule = (who: string, protocol: 'TCP' | 'UDP', port: number, reason: string): FirewallRule => ({
  description: `${reason} ${MADE_BY}`,
  name: `k8s-win ${who} ${protocol} ${port}`,
  port,
  protocol,
})

/** Without these the node does not work. */
export const NEEDED_RULES: readonly FirewallRule[] = [
  rule('kubelet', 'TCP', KUBELET_PORT, 'The API server calls the kubelet.'),
  rule('flannel VXLAN', 'UDP', VXLAN_PORT, 'Pod traffic between the nodes.'),
]

export const FIREWALL_RULES: readonly FirewallRule[] = [
  ...NEEDED_RULES,
  rule('kube-proxy', 'TCP', KUBE_PROXY_PORT, 'External load balancers check the health of kube-proxy.'),
]

export const isOurRule = (description: string): boolean => description.includes(MADE_BY)
