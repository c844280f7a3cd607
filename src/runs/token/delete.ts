// token delete: one bootstrap token of the cluster, and nothing else.
import {tokenMalformed, tokenUnknown} from '../../errors/token.js'
import {tokenIdIn} from '../../host/cluster/bootstrap-tokens.js'
import {asAdministrator, openAdminCluster, type TokenInput} from './admin-cluster.js'

/** `given`: an ID or a whole token. Returns the ID. */
export async function deleteToken(input: TokenInput, given: string): Promise<string> {
  const id = tokenIdIn(given)
  if (id === undefined) throw tokenMalformed({length: String(given.length)})
  const {cluster} = await openAdminCluster(input)
  if (await asAdministrator('delete', cluster.deleteBootstrapToken(id))) return id
  throw tokenUnknown({id, server: cluster.server})
}
