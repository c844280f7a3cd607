// Joining with a bootstrap token, as a cluster made by kubeadm answers it: and the kubeconfig that the kubelet writes.
import {existsSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {
  type Caller,
  type ControlPlane,
  signatureOf,
  startControlPlane,
  waitUntil,
  withoutAuthentication,
} from '../../cluster/control-plane.js'
import {startKubelet} from '../../cluster/kubelet.js'
import {nodeIdentity} from '../../cluster/node-identity.js'
import {askedByJoiner, type Joiner, JOINING_QUESTIONS, type Scene, TOKENS} from '../questions/joining.js'
import {type Heard, type Replacement, saveGroup} from '../sink.js'
import {KUBERNETES_SOURCE} from './kubernetes-programs.js'
import {httpPart} from './parts.js'

const BINDING = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/kubeadm:node-autoapprove-bootstrap'
const CLUSTER_INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info'
/** What cluster-info names: signed as it is, so it cannot be replaced afterwards. */
const SERVER = 'https://10.0.0.10:6443'

export async function recordJoining(): Promise<number> {
  const plane = await startControlPlane()
  const heard: Heard[] = []
  try {
    await prepare(plane)
    heard.push(await recordKubeconfig(plane))
    const callers: Readonly<Record<Joiner, Caller>> = {
      ...(Object.fromEntries(Object.entries(TOKENS).map(([who, token]) => [who, {token}])) as Record<
        keyof typeof TOKENS,
        Caller
      >),
      admin: plane.admin,
      node: await nodeIdentity(plane, 'win-1', {token: TOKENS.token}),
      nobody: {},
    }
    let scene: Scene = 'fresh'
    for (const question of JOINING_QUESTIONS) {
      const {scene: wanted = 'fresh', until = '', who = 'token'} = question
      if (wanted !== scene) await change(plane, (scene = wanted))
      const response = await waitUntil(question.name, async () => {
        const answer = await plane.ask({...question, as: callers[who]})
        return answer.body.includes(until) ? answer : undefined
      })
      heard.push({asked: askedByJoiner(question), name: question.name, parts: {http: httpPart(response)}})
    }
  } finally {
    await plane.close()
  }

  await saveGroup(
    {
      name: 'joining',
      program: 'kube-apiserver, kube-controller-manager, kubeadm and kubelet 1.20.2',
      replacements: replacements(plane),
      source: KUBERNETES_SOURCE,
    },
    heard,
  )
  return heard.length
}

const replacements = ({folder, server}: ControlPlane): Replacement[] => [
  {
    by: SERVER.slice('https://'.length),
    pattern: new RegExp(server.slice('https://'.length), 'g'),
    told: 'the address on loopback: 10.0.0.10:6443',
  },
  {
    by: '/var/lib/kubelet/pki',
    pattern: new RegExp(`${folder}/win-9/pki`, 'g'),
    told: "the kubelet's folder: /var/lib/kubelet/pki",
  },
  {by: '/etc/kubernetes', pattern: new RegExp(folder, 'g'), told: "kubeadm's folder: /etc/kubernetes"},
  {
    by: 'HEADER..',
    pattern: new RegExp(`${Buffer.from('{"alg":"HS256","kid":').toString('base64url')}[\\w-]+\\.\\.`, 'g'),
    told: 'the header of a JWS, {"alg":"HS256","kid":"<token ID>"} in base64url: HEADER',
  },
]

/** Tokens as `kubeadm token create` makes them, and a cluster-info that names no port of this machine. */
async function prepare(plane: ControlPlane): Promise<void> {
  await plane.kubeadm('token', 'create', TOKENS.unusable)
  await withoutAuthentication(plane, TOKENS.unusable)
  await plane.kubeadm('token', 'create', TOKENS.expired, '--ttl', '1s')
  const before = await signatureOf(plane, TOKENS.token)
  const info = (await plane.do({path: CLUSTER_INFO})) as {data: {kubeconfig: string}}
  const data = {kubeconfig: info.data.kubeconfig.replace(plane.server, SERVER)}
  await plane.do({body: {data}, method: 'PATCH', path: CLUSTER_INFO, type: 'application/merge-patch+json'})
  await waitUntil('another signature', async () => (await signatureOf(plane, TOKENS.token)) !== before || undefined)
  const secret = `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${TOKENS.expired.split('.')[0]}`
  await waitUntil(
    'the token cleaner',
    async () => (await plane.ask({as: plane.admin, path: secret})).status === 404 || undefined,
  )
}

async function change(plane: ControlPlane, scene: Scene): Promise<void> {
  if (scene === 'unapproved') await plane.do({method: 'DELETE', path: BINDING})
  if (scene === 'denied') await plane.kubectl(['certificate', 'deny', 'csr-unapproved'])
  if (scene === 'unapproved') await settled(plane)
}

/** Until the API server's authorizer has seen that the binding is gone. */
async function settled(plane: ControlPlane): Promise<void> {
  const subject = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      groups: ['system:bootstrappers:kubeadm:default-node-token'],
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        subresource: 'nodeclient',
        verb: 'create',
      },
      user: 'system:bootstrap:abcdef',
    },
  }
  await waitUntil('no approvals', async () => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const {status} = (await plane.do({body: subject, method: 'POST', path})) as {status: {allowed: boolean}}
    return status.allowed ? undefined : true
  })
}

async function recordKubeconfig(plane: ControlPlane): Promise<Heard> {
  const kubelet = await startKubelet(plane, 'win-9', TOKENS.token)
  try {
    await waitUntil('the certificate', async () => existsSync(kubelet.certificate) || undefined)
    return {
      asked:
        'kubelet --bootstrap-kubeconfig=… --kubeconfig=… --cert-dir=/var/lib/kubelet/pki: what it writes to --kubeconfig',
      name: 'kubelet-kubeconfig',
      parts: {out: await readFile(kubelet.kubeconfig)},
    }
  } finally {
    await kubelet.close()
  }
}
