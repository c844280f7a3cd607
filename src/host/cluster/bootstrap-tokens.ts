// Bootstrap tokens: Secrets in kube-system, written and read as kubeadm does
// (cmd/kubeadm/app/apis/bootstraptoken/v1/utils.go, cluster-bootstrap/token/util).
import {randomInt} from 'node:crypto'
import {clusterAnswer} from '../../errors/cluster.js'
import {textAt, textsAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'
import type {ListAll} from './cluster.js'
import type {AskCluster} from './request.js'

export interface BootstrapToken {
  readonly id: string
  readonly secret: string
}

export interface TokenSettings {
  readonly description: string
  /** RFC 3339; undefined for a token that never expires. */
  readonly expiration: string | undefined
}

/** Without its secret. */
export interface ListedToken extends TokenSettings {
  readonly groups: readonly string[]
  readonly id: string
  readonly usages: readonly string[]
}

export interface ClusterTokens {
  bootstrapTokens(): Promise<readonly ListedToken[]>
  /** False where the ID is taken. */
  createBootstrapToken(token: BootstrapToken, settings: TokenSettings): Promise<boolean>
  /** False where there is none. */
  deleteBootstrapToken(id: string): Promise<boolean>
}

/** The group that kubeadm's bindings are for (cmd/kubeadm/app/constants, NodeBootstrapTokenAuthGroup). */
export const TOKEN_GROUP = 'system:bootstrappers:kubeadm:default-node-token'
const SECRETS = '/api/v1/namespaces/kube-system/secrets'
const PREFIX = 'bootstrap-token-'
const TYPE = 'bootstrap.kubernetes.io/token'
const USAGE = 'usage-bootstrap-'
/** To sign cluster-info, and to be a credential. */
const USAGES = ['authentication', 'signing']

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const [ID_LENGTH, SECRET_LENGTH] = [6, 16]
const TOKEN = /^([\da-z]{6})(?:\.[\da-z]{16})?$/

/** Every letter is equally likely. `random` returns a whole number from 0 to below its argument. */
export function generateToken(random: (below: number) => number = randomInt): BootstrapToken {
  const word = (length: number): string => Array.from({length}, () => ALPHABET.charAt(random(ALPHABET.length))).join('')
  return {id: word(ID_LENGTH), secret: word(SECRET_LENGTH)}
}

/** Of an ID or a whole token; undefined where it is neither. */
export const tokenIdIn = (text: string): string | undefined => TOKEN.exec(text)?.[1]

export function openBootstrapTokens(ask: AskCluster, listAll: ListAll, server: string): ClusterTokens {
  return {
    async bootstrapTokens() {
      const all = await listAll(SECRETS, readToken, `type=${TYPE}`)
      return all.filter((token) => token !== undefined)
    },
    async createBootstrapToken(token, settings) {
      const {status} = await ask('POST', SECRETS, secretOf(token, settings), {answers: [409], effect: 'change'})
      if (status === 404) throw clusterAnswer({reason: 'It has no namespace kube-system.', server})
      return status !== 409
    },
    async deleteBootstrapToken(id) {
      const {status} = await ask('DELETE', `${SECRETS}/${PREFIX}${id}`)
      return status !== 404
    },
  }
}

/** func encodeTokenSecretData */
function secretOf({id, secret}: BootstrapToken, {description, expiration}: TokenSettings): object {
  const data = {
    'auth-extra-groups': TOKEN_GROUP,
    ...(description === '' ? {} : {description}),
    ...(expiration === undefined ? {} : {expiration}),
    'token-id': id,
    'token-secret': secret,
    ...Object.fromEntries(USAGES.map((usage) => [`${USAGE}${usage}`, 'true'])),
  }
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
  return {
    apiVersion: 'v1',
    data: Object.fromEntries(encoded) as Record<string, string>,
    kind: 'Secret',
    metadata: {name: `${PREFIX}${id}`, namespace: 'kube-system'},
    type: TYPE,
  }
}

/** func BootstrapTokenFromSecret. Undefined for what the API server accepts no token from; the secret is not read. */
function readToken(item: unknown): ListedToken | undefined {
  const data = textsAt(item, 'data')
  const read = (key: string): string => shortened(Buffer.from(data[key] ?? '', 'base64').toString('utf8'))
  const id = read('token-id')
  const isToken = tokenIdIn(id) === id && textAt(item, 'metadata', 'name') === `${PREFIX}${id}`
  // An API server without the field selector would list all Secrets.
  if (!isToken || textAt(item, 'type') !== TYPE) return undefined
  const expiration = read('expiration')
  return {
    description: read('description'),
    expiration: expiration === '' ? undefined : expiration,
    groups: read('auth-extra-groups')
      .split(',')
      .filter((group) => group !== ''),
    id,
    usages: Object.keys(data)
      .filter((key) => key.startsWith(USAGE) && read(key) === 'true')
      .map((key) => key.slice(USAGE.length))
      .sort(),
  }
}
