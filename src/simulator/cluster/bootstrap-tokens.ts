// Bootstrap tokens: Secrets of the simulated cluster that let a new node in
// (plugin/pkg/auth/authenticator/token/bootstrap/bootstrap.go; staging/src/k8s.io/cluster-bootstrap).
import type {ClusterSecret, ClusterState} from './state.js'

export const TOKEN_TYPE = 'bootstrap.kubernetes.io/token'
const NAMESPACE = 'kube-system'
const PREFIX = 'bootstrap-token-'
/** token/api/types.go */
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

/** One that kubeadm makes: for nodes, without an end. */
export function makeTokenSecret(
  id: string,
  secret: string,
  more: Readonly<Record<string, string>> = {},
): ClusterSecret {
  const plain = {
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
    ...more,
  }
  const data = Object.entries(plain).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const)
  return {data: Object.fromEntries(data), name: `${PREFIX}${id}`, namespace: NAMESPACE, type: TOKEN_TYPE}
}

/** Undefined: 401. */
export function tokenIdentity(
  {secrets = []}: ClusterState,
  token: string,
  now: number,
): {groups: string[]; user: string} | undefined {
  const [, id = '', value = ''] = TOKEN.exec(token) ?? []
  const secret = secrets.find((one) => isToken(one) && one.name === `${PREFIX}${id}`)
  if (!secret || id === '' || read(secret, 'token-secret') !== value || read(secret, 'token-id') !== id) {
    return undefined
  }

  if (isExpired(secret, now) || read(secret, 'usage-bootstrap-authentication') !== 'true') return undefined
  const extra = read(secret, 'auth-extra-groups').split(',').filter(Boolean)
  if (!extra.every((group) => GROUP.test(group))) return undefined
  const groups = [...new Set(['system:bootstrappers', ...extra])].sort()
  return {groups: [...groups, 'system:authenticated'], user: `system:bootstrap:${id}`}
}

export interface SigningToken {
  readonly id: string
  readonly secret: string
}

/** pkg/controller/bootstrap/util.go, validateSecretForSigning; the controller signs some time after a token was created. */
export function signingTokens({secrets = [], signerDelayMs = 0}: ClusterState, now: number): SigningToken[] {
  return secrets.flatMap((one) => {
    const [id, secret] = [read(one, 'token-id'), read(one, 'token-secret')]
    const isLate = one.createdAt !== undefined && now < one.createdAt + signerDelayMs
    const isUsable = isToken(one) && one.name === `${PREFIX}${id}` && secret !== '' && !isExpired(one, now)
    return isUsable && !isLate && read(one, 'usage-bootstrap-signing') === 'true' ? [{id, secret}] : []
  })
}

/** pkg/controller/bootstrap/tokencleaner.go. True if one was deleted. */
export function cleanTokens(cluster: ClusterState, now: number): boolean {
  const kept = cluster.secrets?.filter((one) => !isToken(one) || !isExpired(one, now))
  if (!kept || kept.length === cluster.secrets?.length) return false
  cluster.secrets = kept
  return true
}

const isToken = ({namespace, type}: ClusterSecret): boolean => namespace === NAMESPACE && type === TOKEN_TYPE

const read = ({data}: ClusterSecret, key: string): string => Buffer.from(data[key] ?? '', 'base64').toString()

/** util/secrets/secrets.go, GetExpiration: what is not a time counts as expired. */
function isExpired(secret: ClusterSecret, now: number): boolean {
  const text = read(secret, 'expiration')
  return text !== '' && !(Date.parse(text) > now)
}
