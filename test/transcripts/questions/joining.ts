// The questions of a node that joins with a bootstrap token, and of the administrator who made it, put to an API server,
// real or simulated.
import type {HttpRequest} from '../../../src/machine/http.js'

/**
 * `token` is good; `nobody` shows nothing; the others are refused: another secret, an unknown ID, after its time, without
 * usage-bootstrap-authentication. `node` has a certificate that it got with the token.
 */
export type Joiner = 'admin' | 'expired' | 'node' | 'nobody' | 'token' | 'unknown' | 'unusable' | 'wrong'

/** `unapproved`: the binding that approves requests of bootstrap tokens was removed. `denied`: csr-unapproved was denied. */
export type Scene = 'denied' | 'fresh' | 'unapproved'

export interface JoiningQuestion {
  readonly body?: object
  readonly method?: HttpRequest['method']
  readonly name: string
  readonly path: string
  readonly scene?: Scene
  /** Asked again until the answer has this in it: controllers take their time. */
  readonly until?: string
  readonly who?: Joiner
}

/** Throwaway, of clusters that are gone. */
export const TOKENS: Readonly<Record<Exclude<Joiner, 'admin' | 'nobody' | 'node'>, string>> = {
  expired: 'expire.0123456789abcdef',
  token: 'abcdef.0123456789abcdef',
  unknown: 'nobody.0123456789abcdef',
  unusable: 'unused.0123456789abcdef',
  wrong: 'abcdef.fedcba9876543210',
}
/** The public half of keys that are gone: of a node, and of someone who wants more. */
const NODE_REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHuMIGVAgEAMDMxFTATBgNVBAoMDHN5c3RlbTpub2RlczEaMBgGA1UEAwwRc3lz
dGVtOm5vZGU6d2luLTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR2EBiqEmRz
SGdvR5tLGSy6c5kC8SirofUn2sxrIu8jdAABfS/nrfwFD/o6LGl2b77qupdvGPbf
B2x1rUYI2912oAAwCgYIKoZIzj0EAwIDSAAwRQIgLuJJhOLlQbFMQezGdSjaWHnu
ByMzUL0HKPppfqT5jMcCIQD/i8VrgC13TTLpEIL3ZUPf0xGKZnvOL6HKLqMmcdj8
xg==
-----END CERTIFICATE REQUEST-----
`
const STRANGE_REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHkMIGLAgEAMCkxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ4wDAYDVQQDDAVh
ZG1pbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABF1icFcxZpb6R5m6GUECxa/5
o2x/8XT0MRBo+1A3P9Ml/xeAvTMOr7/J0to9FlJO0uJ/dhk5QAe0D7Y2QIH0QJeg
ADAKBggqhkjOPQQDAgNIADBFAiAK0H6bpIHC6iDrkBdUkCcEQyBMLdv/+jF9H9TO
Ks7/8AIhALwTvt8LIIfc9mju4G81jJ4m0tQFBh/hJiujydDUMdcg
-----END CERTIFICATE REQUEST-----
`

const KUBE_SYSTEM = '/api/v1/namespaces/kube-system'
const CLUSTER_INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info'
export const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const TYPE = 'fieldSelector=type%3Dbootstrap.kubernetes.io%2Ftoken'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const review = (resourceAttributes: object): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: {resourceAttributes},
})

const request = (name: string | undefined, pem: string): object => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: name === undefined ? {generateName: 'csr-'} : {name},
  spec: {
    request: base64(pem),
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'key encipherment', 'client auth'],
  },
})

/** As the kubelet asks, before the questions. */
export const KUBELET_REQUEST: JoiningQuestion = {
  body: request(undefined, NODE_REQUEST),
  method: 'POST',
  name: 'kubelet-request',
  path: REQUESTS,
}

const secret = (id: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {name: `bootstrap-token-${id}`, namespace: 'kube-system'},
  data: {
    'auth-extra-groups': base64('system:bootstrappers:kubeadm:default-node-token'),
    description: base64('made by a test'),
    expiration: base64('2099-01-01T00:00:00Z'),
    'token-id': base64(id),
    'token-secret': base64('0123456789abcdef'),
    'usage-bootstrap-authentication': base64('true'),
    'usage-bootstrap-signing': base64('true'),
  },
  type: 'bootstrap.kubernetes.io/token',
})

const DISCOVERY: readonly JoiningQuestion[] = [
  {name: 'cluster-info', path: CLUSTER_INFO, until: 'jws-kubeconfig-abcdef', who: 'nobody'},
  {name: 'kube-public-nobody', path: '/api/v1/namespaces/kube-public/configmaps', who: 'nobody'},
  {name: 'secrets-nobody', path: `${KUBE_SYSTEM}/secrets`, who: 'nobody'},
]

const CREATE_REQUESTS = review({group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create'})
const AUTHENTICATION: readonly JoiningQuestion[] = (['token', 'wrong', 'unknown', 'expired', 'unusable'] as const).map(
  (who) => ({body: CREATE_REQUESTS, method: 'POST', name: `review-${who}`, path: REVIEWS, who}),
)

const BOOTSTRAP: readonly JoiningQuestion[] = [
  {name: 'kubeadm-config', path: `${KUBE_SYSTEM}/configmaps/kubeadm-config`},
  {name: 'kubelet-config', path: `${KUBE_SYSTEM}/configmaps/kubelet-config-1.20`},
  {name: 'kube-proxy', path: `${KUBE_SYSTEM}/configmaps/kube-proxy`},
  {name: 'config-map-token', path: `${KUBE_SYSTEM}/configmaps/extension-apiserver-authentication`},
  {name: 'node-token', path: '/api/v1/nodes/win-1'},
  {name: 'nodes-token', path: '/api/v1/nodes'},
  {name: 'secrets-token', path: `${KUBE_SYSTEM}/secrets`},
  {body: request('csr-approved', NODE_REQUEST), method: 'POST', name: 'request', path: REQUESTS},
  {name: 'request-issued', path: `${REQUESTS}/csr-approved`, until: '"certificate":'},
  {name: 'requests', path: REQUESTS},
  {name: 'request-missing', path: `${REQUESTS}/gone`},
  {body: request('csr-strange', STRANGE_REQUEST), method: 'POST', name: 'request-strange', path: REQUESTS},
  {body: {spec: {}}, method: 'PUT', name: 'approve-token', path: `${REQUESTS}/csr-strange/approval`},
  {method: 'DELETE', name: 'delete-request-token', path: `${REQUESTS}/csr-strange`},
  {
    body: request('csr-unapproved', NODE_REQUEST),
    method: 'POST',
    name: 'request-unapproved',
    path: REQUESTS,
    scene: 'unapproved',
  },
  {name: 'request-pending', path: `${REQUESTS}/csr-unapproved`, scene: 'unapproved'},
  {name: 'request-denied', path: `${REQUESTS}/csr-unapproved`, scene: 'denied', until: '"Denied"'},
]

const TOKEN_COMMANDS: readonly JoiningQuestion[] = [
  {name: 'tokens', path: `${KUBE_SYSTEM}/secrets?${TYPE}`, who: 'admin'},
  {name: 'tokens-node', path: `${KUBE_SYSTEM}/secrets?${TYPE}`, who: 'node'},
  {body: secret('create'), method: 'POST', name: 'token-create', path: `${KUBE_SYSTEM}/secrets`, who: 'admin'},
  {body: secret('create'), method: 'POST', name: 'token-create-again', path: `${KUBE_SYSTEM}/secrets`, who: 'admin'},
  {body: secret('byself'), method: 'POST', name: 'token-create-node', path: `${KUBE_SYSTEM}/secrets`, who: 'node'},
  {name: 'token', path: `${KUBE_SYSTEM}/secrets/bootstrap-token-create`, who: 'admin'},
  {method: 'DELETE', name: 'token-delete', path: `${KUBE_SYSTEM}/secrets/bootstrap-token-create`, who: 'admin'},
  {method: 'DELETE', name: 'token-delete-again', path: `${KUBE_SYSTEM}/secrets/bootstrap-token-create`, who: 'admin'},
]

const NODE_ACCESS: readonly JoiningQuestion[] = [
  {name: 'services-list', resource: {resource: 'services', verb: 'list'}},
  {name: 'slices-list', resource: {group: 'discovery.k8s.io', resource: 'endpointslices', verb: 'list'}},
  {name: 'nodes-list', resource: {resource: 'nodes', verb: 'list'}},
  {name: 'node-status', resource: {name: 'win-1', resource: 'nodes', subresource: 'status', verb: 'patch'}},
  {
    name: 'flannel',
    resource: {name: 'kube-flannel-cfg', namespace: 'kube-flannel', resource: 'configmaps', verb: 'get'},
  },
].map(({name, resource}) => ({
  body: review(resource),
  method: 'POST',
  name: `review-node-${name}`,
  path: REVIEWS,
  who: 'node',
}))

export const JOINING_QUESTIONS: readonly JoiningQuestion[] = [
  ...DISCOVERY,
  ...AUTHENTICATION,
  ...BOOTSTRAP,
  ...TOKEN_COMMANDS,
  ...NODE_ACCESS,
]

export const askedByJoiner = ({body, method = 'GET', path, scene, who = 'token'}: JoiningQuestion): string =>
  [`as ${who}`, ...(scene ? [scene] : [])].join(', ') +
  `: ${method} ${path}${body === undefined ? '' : ` application/json ${JSON.stringify(body)}`}`
