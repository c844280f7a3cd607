// token list: the bootstrap tokens of the cluster, without their secrets. Reads only.
import type {ListedToken} from '../../host/cluster/bootstrap-tokens.js'
import {asAdministrator, openAdminCluster, type TokenInput} from './admin-cluster.js'

export interface ShownToken {
  readonly description: string
  /** Null where it never expires; as the cluster has it. */
  readonly expiresAt: string | null
  readonly groups: readonly string[]
  readonly id: string
  /** Whole seconds from now; 0 where it has expired; null where it never does, or its expiration is not a time. */
  readonly ttlSeconds: number | null
  readonly usages: readonly string[]
}

export async function listTokens(input: TokenInput): Promise<readonly ShownToken[]> {
  const {cluster} = await openAdminCluster(input)
  const tokens = await asAdministrator('list', cluster.bootstrapTokens())
  return tokens.map((token) => shown(token, input.machine.clock.now()))
}

function shown({description, expiration, groups, id, usages}: ListedToken, now: number): ShownToken {
  const left = expiration === undefined ? Number.NaN : Date.parse(expiration) - now
  return {
    description,
    expiresAt: expiration ?? null,
    groups,
    id,
    ttlSeconds: Number.isNaN(left) ? null : Math.max(0, Math.floor(left / 1000)),
    usages,
  }
}
