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
