// What an identity may do on the simulated cluster: machine.json's list, or everything for system:masters.
import type {ClusterState} from '../world.js'
import type {Identity} from './identity.js'

export interface Access {
  readonly group: string
  readonly name: string
  readonly namespace: string
  /** With its subresource, e.g. "nodes/status". */
  readonly resource: string
  readonly verb: string
}

/** "*", "get nodes", "* nodes" or "get *". */
export function isAllowed(
  {permissions, permissionsOf}: ClusterState,
  {groups, user}: Identity,
  {resource, verb}: Access,
): boolean {
  if (groups.includes('system:masters')) return true
  if (groups.includes('system:unauthenticated')) return false
  const covers = (pattern: string | undefined, value: string): boolean => pattern === '*' || pattern === value
  return (permissionsOf?.[user] ?? permissions).some((permission) => {
    if (permission === '*') return true
    const [ofVerb, ofResource] = permission.split(' ')
    return covers(ofVerb, verb) && covers(ofResource, resource)
  })
}
