// DaemonSets of the simulated cluster, as far as they decide on which nodes their pods land.
import type {KubernetesObject} from './objects.js'
import {metadata} from './objects.js'
import type {ClusterDaemonSet, ClusterState} from './state.js'

/** flannel's own is there where its configuration is, for Linux nodes only, unless machine.json has it otherwise. */
export function daemonSetObjects({configMaps, daemonSets = []}: ClusterState): KubernetesObject[] {
  const ofFlannel = configMaps
    .filter(({name}) => name === 'kube-flannel-cfg')
    .map(({namespace}) => ({name: 'kube-flannel-ds', namespace, nodeSelector: {'kubernetes.io/os': 'linux'}}))
    .filter(({name, namespace}) => !daemonSets.some((set) => set.name === name && set.namespace === namespace))
  return [...ofFlannel, ...daemonSets].map(daemonSetObject)
}

function daemonSetObject(set: ClusterDaemonSet): KubernetesObject {
  const {affinity, name, namespace, nodeName, nodeSelector, tolerations} = set
  // As kube-flannel.yml labels its own; others are labelled by their name here.
  const isFlannel = name === 'kube-flannel-ds'
  const app = isFlannel ? 'flannel' : name
  const labels = isFlannel ? {app, tier: 'node'} : {app}
  return {
    kind: 'DaemonSet',
    apiVersion: 'apps/v1',
    metadata: {...metadata('DaemonSet', name, namespace), labels},
    spec: {
      selector: {matchLabels: {app}},
      template: {
        metadata: {labels},
        spec: {
          containers: [{name: isFlannel ? 'kube-flannel' : name}],
          ...(nodeName && {nodeName}),
          ...(nodeSelector && {nodeSelector}),
          ...(affinity && {affinity}),
          ...(tolerations && {tolerations}),
        },
      },
    },
  } as KubernetesObject
}
