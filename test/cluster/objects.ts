// Objects that the tests put into a control plane.

export const CONTROL_PLANE_NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {labels: {'kubernetes.io/hostname': 'control-plane', 'kubernetes.io/os': 'linux'}, name: 'control-plane'},
}

export const WINDOWS_NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {labels: {'kubernetes.io/hostname': 'win-1', 'kubernetes.io/os': 'windows'}, name: 'win-1'},
}

/** It ends at once, as no kubelet is there to end it. */
const podSpec = (nodeName: string): object => ({
  automountServiceAccountToken: false,
  containers: [{image: 'pause', name: 'pause'}],
  nodeName,
  terminationGracePeriodSeconds: 0,
})

export const pod = (name: string, app: string, nodeName: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {labels: {app}, name, namespace: 'default'},
  spec: podSpec(nodeName),
})

/** Pods on win-1. */
export const replicaSet = (name: string, replicas: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {name, namespace: 'default'},
  spec: {
    replicas,
    selector: {matchLabels: {app: name}},
    template: {
      metadata: {labels: {app: name}},
      spec: podSpec('win-1'),
    },
  },
})

/** policy/v1 has budgets from 1.21 on, v1beta1 up to 1.24 (k8s.io/api/policy/v1beta1/zz_generated.prerelease-lifecycle.go). */
const policyOf = (minor: number): string => (minor < 21 ? 'policy/v1beta1' : 'policy/v1')

/** Where a control plane of 1.x has the budgets. */
export const budgetsPath = (minor: number): string => `/apis/${policyOf(minor)}/namespaces/default/poddisruptionbudgets`

export const budget = (minor: number, name: string, app: string, minAvailable: number): object => ({
  apiVersion: policyOf(minor),
  kind: 'PodDisruptionBudget',
  metadata: {name, namespace: 'default'},
  spec: {minAvailable, selector: {matchLabels: {app}}},
})
