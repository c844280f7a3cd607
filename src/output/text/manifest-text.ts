// Kubernetes objects as they are handed to kubectl: YAML with a few words on top, or JSON.
import {stringify} from 'yaml'
import {documentText} from '../run/json-view.js'

/** An object that kubectl takes. */
export interface ManifestObject {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

/** The document of `manifest --output json`; with ndjson each object is a line. */
export interface ManifestDocument {
  readonly apiVersion: 'v1'
  readonly items: readonly ManifestObject[]
  readonly kind: 'List'
}

/** Each line is a comment. */
export function yamlText(objects: readonly object[], head: readonly string[]): string {
  const comment = head.map((line) => (line === '' ? '#' : `# ${line}`)).join('\n')
  // In one line each, whatever their length: a reader who folds differently would read another text.
  const documents = objects.map((object) => stringify(object, {aliasDuplicateObjects: false, lineWidth: 0}))
  return `${comment}\n---\n${documents.join('---\n')}`
}

/** One object that kubectl takes as all of them, or one a line. */
export function jsonText(objects: readonly ManifestObject[], format: 'json' | 'ndjson'): string {
  if (format === 'ndjson') return objects.map((object) => documentText(object, format)).join('')
  const document: ManifestDocument = {apiVersion: 'v1', items: objects, kind: 'List'}
  return documentText(document)
}

/** What the administrator who applies it must know. */
export function flannelHead(clusterCIDR: string): string[] {
  return [
    'flannel for the Linux nodes of a cluster with Windows nodes. Created by "k8s-win manifest flannel".',
    '',
    'Apply it with: kubectl apply -f <this file>',
    'A flannel in the namespace kube-flannel is updated in place; pods on different nodes cannot reach each other until',
    'every node has the new version. Remove a flannel in kube-system first: two of them conflict.',
    '',
    `The controller manager must assign pod networks from ${clusterCIDR}: --allocate-node-cidrs=true`,
    `--cluster-cidr=${clusterCIDR} (kubeadm: networking.podSubnet).`,
    '',
    'Do not change VNI 4096 and port 4789: flanneld on Windows accepts no VNI below 4096 and no other port, and all',
    'nodes must have the same. Open UDP 4789 between all nodes.',
    '',
    'Every Linux node, including the control plane, requires this kernel setting: without it, iptables does not see',
    'traffic between pods of the same node, and Services do not work for it.',
    '  modprobe br_netfilter                          # and its name in /etc/modules-load.d/k8s.conf',
    '  sysctl net.bridge.bridge-nf-call-iptables=1    # and the same line in /etc/sysctl.d/k8s.conf',
  ]
}

/** What the administrator who applies it must know, above all how far it reaches. */
export function nodeAccessHead(): string[] {
  return [
    'Permissions of Windows nodes that run kube-proxy and flanneld with their own identity (system:node:<name>).',
    'Created by "k8s-win manifest node-access".',
    '',
    'Apply it once per cluster: kubectl apply -f <this file>',
    'Remove it when the last such node has left: kubectl delete -f <this file>',
    '',
    'Limits: RBAC cannot select nodes, so the group system:nodes, every node of the cluster, Linux or Windows, gets',
    'these permissions: list and watch all Services, EndpointSlices, Endpoints and Nodes, create and change events,',
    'and read the configuration of flannel. Without them, from Kubernetes 1.32 on a node reads no Node but its own.',
    'A node still changes only its own Node object, and reads no Secret or ConfigMap beyond that of its pods, as long as',
    'the API server has --authorization-mode=Node,RBAC and the admission plugin NodeRestriction, as with kubeadm.',
    'Nodes that must not have them need a kubeconfig each for kube-proxy and flanneld: setup --kube-proxy-kubeconfig',
    'and --flanneld-kubeconfig.',
    '',
    "Bootstrap tokens of kubeadm's group get only the configuration of flannel, which setup compares before it joins.",
    'Install flannel first: the namespace kube-flannel must exist. With flannel in another namespace (kube-system up to',
    'flannel 0.18), change the namespace of the last two objects.',
  ]
}
