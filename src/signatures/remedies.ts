// What helps against more than one failure. The services depend on each other (kubeproxy on flanneld on kubelet), so
// stopping one with /y stops what depends on it, and starting the last starts them all.

export const AGAIN = 'Run "k8s-win setup" again: it mends what is not in place.'
export const RESTART_ALL = '"net stop kubelet /y", then "net start kubeproxy"'
export const RESTART_FLANNELD = '"net stop flanneld /y", then "net start kubeproxy"'
export const RESTART_KUBE_PROXY = '"net stop kubeproxy", then "net start kubeproxy"'
/** What HNS forgets with a restart, flanneld and kube-proxy make again only when they start (facts d.12.8). */
export const RESTART_HNS = `"net stop flanneld /y", "net stop hns", "net start hns", then "net start kubeproxy"`
/** One that is disabled does not start; and what to start again is not there when a node is taken apart. */
export const START_HNS = `Start it ("sc config hns start= demand", then "net start hns"); where the node is to go on, what stands on it too: ${RESTART_FLANNELD}.`
