// A token or a cluster that is not right: the error of its own, exit code 3, everything else that is wrong beside it, and
// a host on which nothing was changed.
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {makeTokenSecret} from '../../src/simulator/cluster/bootstrap-tokens.js'
import type {World} from '../../src/simulator/world.js'
import type {HostFolder} from '../steps/host-folder.js'
import {joiningHost, joinOn} from './joining-host.js'

const OTHER_CA = readFileSync(new URL('../host/certificates/ca.pem', import.meta.url), 'utf8')
const SECRET = '0123456789abcdef'

const withToken =
  (more: Readonly<Record<string, string>>) =>
  ({cluster}: World): void =>
    void (cluster.secrets = [makeTokenSecret('abcdef', SECRET, more)])

const CASES: readonly [name: string, id: string, sicken: (world: World) => void, given: GivenOptions][] = [
  ['a wrong secret', 'JOIN_TOKEN_WRONG', () => {}, {token: 'abcdef.fedcba9876543210'}],
  ['an unknown token', 'JOIN_TOKEN_UNSIGNED', () => {}, {token: 'zzzzzz.0123456789abcdef'}],
  ['an expired token', 'JOIN_TOKEN_UNSIGNED', withToken({expiration: '2020-01-01T00:00:00Z'}), {}],
  [
    'a token that is not for authentication',
    'JOIN_TOKEN_REFUSED',
    withToken({'usage-bootstrap-authentication': 'false'}),
    {},
  ],
  ['a wrong hash', 'JOIN_CA_MISMATCH', () => {}, {'ca-cert-hash': [`sha256:${'0'.repeat(64)}`]}],
  ['another CA in between', 'JOIN_CA_MISMATCH', ({cluster}) => void (cluster.clusterInfo = {ca: OTHER_CA}), {}],
  ['no cluster-info', 'JOIN_NO_CLUSTER_INFO', ({cluster}) => void (cluster.clusterInfo = 'absent'), {}],
  [
    'a cluster-info that names a server that does not answer',
    'JOIN_OTHER_SERVER_UNREACHABLE',
    ({cluster}) => void (cluster.clusterInfo = {server: 'https://10.99.99.99:6443'}),
    {},
  ],
  ['a server that does not answer', 'JOIN_SERVER_UNREACHABLE', ({cluster}) => void (cluster.reachable = false), {}],
]

/** The cluster deletes expired tokens by itself. */
const stateOf = ({state}: HostFolder): HostFolder['state'] => {
  const {secrets: _, ...cluster} = state.world.cluster
  return {...state, world: {...state.world, cluster}}
}

describe('is refused', () => {
  test.each(CASES)('%s: %s', async (_, id, sicken, given) => {
    const host = await joiningHost(sicken)
    const before = stateOf(host)
    // Something else is wrong, too.
    const {result} = await joinOn(host, {...given, 'interface-name': 'none of this host'})
    const ids = (result.errors ?? [result.error]).map((error) => error?.id)
    expect(result.exitCode).toBe(3)
    expect(ids).toContain(id)
    expect(ids).toContain('INTERFACE_MISSING')
    expect(JSON.stringify(result)).not.toContain(SECRET)
    expect(stateOf(host)).toEqual(before)
  })
})
