// The questions put to an API server, real or simulated: every request of k8s-win, those around them, and how they are refused.
import type {HttpRequest, HttpResponse} from '../../../src/machine/http.js'

/**
 * `stranger` has a good token and no rights; `wrong` a token that nobody knows; `foreign` and `expired` certificates of
 * another authority; `nobody` shows nothing.
 */
export type Who = 'admin' | 'expired' | 'foreign' | 'node' | 'nobody' | 'stranger' | 'wrong'

export interface ClusterQuestion {
  readonly body?: object | string
  readonly method?: HttpRequest['method']
  readonly name: string
  readonly path: string
  /** Of the body. */
  readonly type?: string
  readonly who?: Who
}

export type AskCluster = (question: ClusterQuestion) => Promise<HttpResponse>

const NODE = '/api/v1/nodes/win-1'
const KUBE_SYSTEM = '/api/v1/namespaces/kube-system'
const FLANNEL = '/apis/apps/v1/namespaces/kube-flannel/daemonsets'
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const STRATEGIC = 'application/strategic-merge-patch+json'
const MERGE = 'application/merge-patch+json'

const review = (resourceAttributes: object): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: {resourceAttributes},
})
const labels = (values: object): object => ({metadata: {labels: values}})

const READS: readonly ClusterQuestion[] = [
  {name: 'version', path: '/version'},
  {name: 'version-nobody', path: '/version', who: 'nobody'},
  {name: 'version-wrong-token', path: '/version', who: 'wrong'},
  {name: 'healthz', path: '/healthz'},
  {name: 'livez', path: '/livez'},
  {name: 'readyz-nobody', path: '/readyz', who: 'nobody'},
  {name: 'no-such-path', path: '/nonsense', who: 'admin'},
  {name: 'no-such-path-node', path: '/nonsense'},
  {name: 'no-such-resource', path: '/api/v1/nonsense', who: 'admin'},
  {name: 'no-such-group', path: '/apis/nonsense/v1/things', who: 'admin'},
  {name: 'node', path: NODE},
  {name: 'node-linux', path: '/api/v1/nodes/linux-1'},
  {name: 'node-missing', path: '/api/v1/nodes/gone'},
  {name: 'node-nobody', path: NODE, who: 'nobody'},
  {name: 'node-stranger', path: NODE, who: 'stranger'},
  {name: 'node-wrong-token', path: NODE, who: 'wrong'},
  {name: 'node-foreign-certificate', path: NODE, who: 'foreign'},
  {name: 'node-expired-certificate', path: NODE, who: 'expired'},
  {name: 'nodes', path: '/api/v1/nodes', who: 'admin'},
  {name: 'nodes-windows', path: '/api/v1/nodes?labelSelector=kubernetes.io%2Fos%3Dwindows', who: 'admin'},
  {name: 'nodes-none', path: '/api/v1/nodes?labelSelector=nothing', who: 'admin'},
  {name: 'services', path: `${KUBE_SYSTEM}/services`},
  {name: 'services-dns', path: `${KUBE_SYSTEM}/services?labelSelector=k8s-app%3Dkube-dns`},
  {name: 'services-no-namespace', path: '/api/v1/namespaces/nowhere/services'},
  {name: 'services-stranger', path: `${KUBE_SYSTEM}/services`, who: 'stranger'},
  {name: 'config-map', path: '/api/v1/namespaces/kube-flannel/configmaps/kube-flannel-cfg', who: 'admin'},
  {name: 'config-map-missing', path: '/api/v1/namespaces/kube-flannel/configmaps/gone', who: 'admin'},
  {name: 'config-map-stranger', path: '/api/v1/namespaces/kube-flannel/configmaps/kube-flannel-cfg', who: 'stranger'},
  {name: 'config-maps', path: '/api/v1/namespaces/kube-flannel/configmaps', who: 'admin'},
  {name: 'daemon-sets', path: FLANNEL, who: 'admin'},
  {name: 'daemon-set', path: `${FLANNEL}/kube-flannel-ds`, who: 'admin'},
  {name: 'daemon-set-missing', path: `${FLANNEL}/gone`, who: 'admin'},
  {name: 'daemon-sets-stranger', path: FLANNEL, who: 'stranger'},
]

const CHANGES: readonly ClusterQuestion[] = [
  {body: review({resource: 'nodes', verb: 'get'}), method: 'POST', name: 'review-allowed', path: REVIEWS, who: 'admin'},
  {
    body: review({resource: 'nodes', verb: 'get'}),
    method: 'POST',
    name: 'review-denied',
    path: REVIEWS,
    who: 'stranger',
  },
  {
    body: review({name: 'win-1', resource: 'nodes', verb: 'get'}),
    method: 'POST',
    name: 'review-node-get',
    path: REVIEWS,
  },
  {
    body: review({name: 'win-1', resource: 'nodes', verb: 'delete'}),
    method: 'POST',
    name: 'review-node-delete',
    path: REVIEWS,
  },
  {
    body: review({namespace: 'kube-system', resource: 'services', verb: 'list'}),
    method: 'POST',
    name: 'review-services-list',
    path: REVIEWS,
  },
  {
    body: review({group: 'apps', namespace: 'kube-flannel', resource: 'daemonsets', verb: 'list'}),
    method: 'POST',
    name: 'review-daemon-sets-list',
    path: REVIEWS,
  },
  {
    body: review({namespace: 'kube-flannel', resource: 'configmaps', verb: 'get'}),
    method: 'POST',
    name: 'review-config-map-get',
    path: REVIEWS,
  },
  {method: 'GET', name: 'review-get', path: REVIEWS, who: 'admin'},
  {body: labels({'k8s-win/mark': 'a'}), method: 'PATCH', name: 'patch', path: NODE, type: STRATEGIC, who: 'admin'},
  {body: labels({'k8s-win/mark': null}), method: 'PATCH', name: 'patch-merge', path: NODE, type: MERGE, who: 'admin'},
  {body: labels({lab: 'b'}), method: 'PATCH', name: 'patch-by-node', path: NODE, type: STRATEGIC},
  {body: '{"metadata":', method: 'PATCH', name: 'patch-no-json', path: NODE, type: STRATEGIC, who: 'admin'},
  {body: labels({}), method: 'PATCH', name: 'patch-wrong-type', path: NODE, type: 'application/json', who: 'admin'},
  {
    body: labels({'k8s-win/mark': 'not a label!'}),
    method: 'PATCH',
    name: 'patch-bad-label',
    path: NODE,
    type: STRATEGIC,
    who: 'admin',
  },
  {
    body: {metadata: {labels: {lab: 'c'}, resourceVersion: '1'}},
    method: 'PATCH',
    name: 'patch-conflict',
    path: NODE,
    type: STRATEGIC,
    who: 'admin',
  },
  {
    body: labels({lab: 'b'}),
    method: 'PATCH',
    name: 'patch-missing',
    path: '/api/v1/nodes/gone',
    type: STRATEGIC,
    who: 'admin',
  },
  {body: labels({lab: 'b'}), method: 'PATCH', name: 'patch-stranger', path: NODE, type: STRATEGIC, who: 'stranger'},
  {body: {}, method: 'POST', name: 'post-to-a-node', path: NODE, who: 'admin'},
  {method: 'DELETE', name: 'delete-stranger', path: NODE, who: 'stranger'},
  {method: 'DELETE', name: 'delete-by-node', path: NODE},
  {method: 'DELETE', name: 'delete', path: NODE, who: 'admin'},
  {method: 'DELETE', name: 'delete-again', path: NODE, who: 'admin'},
]

export const CLUSTER_QUESTIONS: readonly ClusterQuestion[] = [...READS, ...CHANGES]

export const bodyOf = ({body}: ClusterQuestion): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body)

export const askedOf = (question: ClusterQuestion): string => {
  const {method = 'GET', path, type, who = 'node'} = question
  const body = bodyOf(question)
  return `as ${who}: ${method} ${path}${body === undefined ? '' : ` ${type ?? 'application/json'} ${body}`}`
}
