// Exit code 6: the node is up, but a pod on it cannot use the cluster's network.
import {defineError} from './define.js'

const THEN = 'Then run "k8s-win verify".'

export const smokeDnsFailed = defineError('SMOKE_DNS_FAILED', 6, {
  cause: 'curl.exe in a pod on {node} requested {name} through the DNS server {server}: {seen}.',
  fix: `Run "k8s-win doctor", which compares the load balancers of this node with the cluster's Services, and check that the pods of the cluster DNS are ready: kubectl get pods -n kube-system -l k8s-app=kube-dns -o wide. ${THEN}`,
  message: 'Pods on this node cannot use the cluster DNS',
})

export const smokeServiceFailed = defineError('SMOKE_SERVICE_FAILED', 6, {
  cause: 'curl.exe in a pod on {node} connected to {address}, the address of the Service default/kubernetes: {seen}.',
  fix: `Run "k8s-win doctor", which compares the load balancers of this node with the cluster's Services. If it reports no problem, restart kube-proxy ("net stop kubeproxy", "net start kubeproxy"). ${THEN}`,
  message: 'Pods on this node cannot use Services',
})

export const smokePodsFailed = defineError('SMOKE_PODS_FAILED', 6, {
  cause: 'curl.exe in a pod on {node} connected to {address}, a pod of the cluster DNS on the node {peer}: {seen}.',
  fix: `Check that UDP port 4789 is open in both directions between this node and {peer}, and that the VNI and the port of flannel are the same on both: run "k8s-win doctor". ${THEN}`,
  message: 'Pods on this node cannot reach pods on {peer}',
})

export const smokePodNotRun = defineError('SMOKE_POD_NOT_RUN', 6, {
  cause: 'The pod {pod} did not complete: {seen}.',
  fix: `Run "k8s-win doctor" and "k8s-win logs kubelet", and fix the reported problem. ${THEN}`,
  message: 'A test pod does not run on the node {node}',
})
