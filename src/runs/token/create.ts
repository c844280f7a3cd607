// token create: a bootstrap token, and what a node needs beside it to join. Creates one Secret, and nothing else.
import {clusterAnswer, clusterForbids} from '../../errors/cluster.js'
import {type BootstrapToken, generateToken} from '../../host/cluster/bootstrap-tokens.js'
import {CLUSTER_INFO, type JoinTarget, targetInClusterInfo, targetInKubeconfig} from '../../host/cluster/join-target.js'
import {type AdminCluster, asAdministrator, openAdminCluster, type TokenInput} from './admin-cluster.js'
import {expiry} from '../../machine/clock.js'

export interface CreateInput extends TokenInput {
  readonly description: string
  /** Replaced in tests. */
  readonly random?: (below: number) => number
  /** 0 for a token that never expires. */
  readonly ttlMs: number
}

export interface CreatedToken extends JoinTarget {
  /** RFC 3339; undefined where it never expires. */
  readonly expiresAt: string | undefined
  readonly token: string
  readonly warnings: readonly string[]
}

/** Two of 36^6 IDs are rarely the same; a cluster that takes none of these does not check what it is asked. */
const MOST_TRIES = 5

export async function createToken(input: CreateInput): Promise<CreatedToken> {
  const {description, machine, ttlMs} = input
  const admin = await openAdminCluster(input)
  const {target, warnings} = await findTarget(admin)
  const expiresAt = ttlMs === 0 ? undefined : rfc3339(expiry(machine.clock, ttlMs))
  const {id, secret} = await createUnder(admin, input, {description, expiration: expiresAt})
  return {...target, expiresAt, token: `${id}.${secret}`, warnings}
}

async function createUnder(
  {cluster}: AdminCluster,
  {onSecret, random}: CreateInput,
  settings: {readonly description: string; readonly expiration: string | undefined},
): Promise<BootstrapToken> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const token = generateToken(random)
    onSecret(token.secret)
    if (await asAdministrator('create', cluster.createBootstrapToken(token, settings))) return token
  }
  throw clusterAnswer({reason: `It reports ${MOST_TRIES} random token IDs as taken.`, server: cluster.server})
}

/** Of cluster-info, which is what joining nodes read; else of the kubeconfig, whose address may be for administrators only. */
async function findTarget({
  cluster,
  kubeconfig,
}: AdminCluster): Promise<{target: JoinTarget; warnings: readonly string[]}> {
  const {name, namespace} = CLUSTER_INFO
  const what = `the ConfigMap ${name} in ${namespace}`
  const info = await cluster.configMap(namespace, name).catch((error: unknown) => {
    if (clusterForbids.is(error)) return 'forbidden' as const
    throw error
  })
  const target = typeof info === 'object' ? targetInClusterInfo(info['kubeconfig'] ?? '') : undefined
  if (target) return {target, warnings: []}
  const other = targetInKubeconfig(kubeconfig)
  if (!other) {
    const reason = `It has no usable ConfigMap ${name} in ${namespace}, and the server in the kubeconfig is not one that nodes can join: it has a path, an IPv6 address or an invalid host name.`
    throw clusterAnswer({reason, server: cluster.server})
  }
  const from = 'server and CA hash are those of the kubeconfig'
  const cannot = 'nodes cannot join this cluster with a token. Pass a kubeconfig to setup: --kubeconfig'
  if (info === 'forbidden') {
    return {target: other, warnings: [`the user of the kubeconfig may not read ${what}: ${from}`]}
  }
  return {
    target: other,
    warnings: [
      info === undefined
        ? `the cluster does not have ${what}: ${cannot}. Or create it: "kubeadm init phase bootstrap-token"`
        : IPV6_SERVER.test(info['kubeconfig'] ?? '')
          ? `the server in ${what} has an IPv6 address, which setup --server does not accept: ${from}`
          : `${what} has no https server with a certificate authority: ${cannot}`,
    ],
  }
}

const IPV6_SERVER = /\bserver["']?:\s*["']?https:\/\/\[/

/** As Go's time.RFC3339 has it, in whole seconds. */
const rfc3339 = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
