// token list: the bootstrap tokens of the cluster, without their secrets. Reads only.
import type {ListedToken} from '../../host/cluster/bootstrap-tokens.js'
import type {ListedTokenDocument} from '../../output/text/token-text.js'
import {asAdministrator, openAdminCluster, type TokenInput} from './admin-cluster.js'

export async function listTokens(input: TokenInput): Promise<readonly ListedTokenDocument[]> {
  const {cluster} = await openAdminCluster(input)
  const tokens = await asAdministrator('list', cluster.bootstrapTokens())
  return tokens.map((token) => shown(token, input.machine.clock.now()))
}

function shown({description, expiration, groups, id, usages}: ListedToken, now: number): ListedTokenDocument {
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
