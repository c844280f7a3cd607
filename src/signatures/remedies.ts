// What helps against more than one failure. The services do not depend on each other: each is named.

export const AGAIN = 'Run "k8s-win setup" again: it repairs what is not in place.'
export const RESTART_KUBELET = '"net stop kubelet", then "net start kubelet"'
/** With kube-proxy, which has its rules on flanneld's network. */
export const RESTART_FLANNELD =
  '"net stop kubeproxy", "net stop flanneld", "net start flanneld", then "net start kubeproxy"'
export const RESTART_KUBE_PROXY = '"net stop kubeproxy", then "net start kubeproxy"'
/** What HNS forgets with a restart, flanneld and kube-proxy make again only when they start (docs/facts.md#hns). */
export const RESTART_HNS = `"net stop kubeproxy", "net stop flanneld", "net stop hns", "net start hns", "net start flanneld", then "net start kubeproxy"`
/** One that is disabled does not start; and what to start again is not there when a node is reset. */
export const START_HNS = `Start it ("sc.exe config hns start= demand", then "net start hns"); to continue running the node, restart the services that depend on it: ${RESTART_FLANNELD}.`
