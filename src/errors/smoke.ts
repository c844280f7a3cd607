// Exit code 6: the node is up, but a pod on it cannot use the cluster's network.
import {defineError} from './define.js'

const THEN = 'Then run "k8s-win verify".'

export const smokeDnsFailed = defineError<{name: string; node: string; seen: string; server: string}>(
  'SMOKE_DNS_FAILED',
  6,
  {
    cause: (p) => `curl.exe in a pod on ${p.node} requested ${p.name} through the DNS server ${p.server}: ${p.seen}.`,
    fix: `Run "k8s-win doctor", which compares the load balancers of this node with the cluster's Services, and check that the pods of the cluster DNS are ready: kubectl get pods -n kube-system -l k8s-app=kube-dns -o wide. ${THEN}`,
    message: 'Pods on this node cannot use the cluster DNS',
  },
)

export const smokeServiceFailed = defineError<{address: string; node: string; seen: string}>(
  'SMOKE_SERVICE_FAILED',
  6,
  {
    cause: (p) =>
      `curl.exe in a pod on ${p.node} connected to ${p.address}, the address of the Service default/kubernetes: ${p.seen}.`,
    fix: `Run "k8s-win doctor", which compares the load balancers of this node with the cluster's Services. If it reports no problem, restart kube-proxy ("net stop kubeproxy", "net start kubeproxy"). ${THEN}`,
    message: 'Pods on this node cannot use Services',
  },
)

export const smokePodsFailed = defineError<{address: string; node: string; peer: string; seen: string}>(
  'SMOKE_PODS_FAILED',
  6,
  {
    cause: (p) =>
      `curl.exe in a pod on ${p.node} connected to ${p.address}, a pod of the cluster DNS on the node ${p.peer}: ${p.seen}.`,
    fix: (p) =>
      `Check that UDP port 4789 is open in both directions between this node and ${p.peer}, and that the VNI and the port of flannel are the same on both: run "k8s-win doctor". ${THEN}`,
    message: (p) => `Pods on this node cannot reach pods on ${p.peer}`,
  },
)

export const smokePodNotRun = defineError<{node: string; pod: string; seen: string}>('SMOKE_POD_NOT_RUN', 6, {
  cause: (p) => `The pod ${p.pod} did not complete: ${p.seen}.`,
  fix: `Run "k8s-win doctor" and "k8s-win logs kubelet", and fix the reported problem. ${THEN}`,
  message: (p) => `A test pod does not run on the node ${p.node}`,
})
