// Discovery on the simulated host: its cluster signs, expires and lies as the real one does, and time passes.
import {describe, expect, it} from 'vitest'
import type {Bootstrap} from '../../../src/config/model.js'
import {discoverCluster, type Joining} from '../../../src/host/cluster/discovery.js'
import {pinnedKeysIn} from '../../../src/host/cluster/public-key-pin.js'
import {makeTokenSecret} from '../../../src/simulator/cluster/bootstrap-tokens.js'
import {CLUSTER_CA} from '../../../src/simulator/cluster/certificates.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import type {World} from '../../../src/simulator/world.js'
import {HostFolder} from '../../steps/host-folder.js'
import {pem} from './loopback-cluster.js'

const SERVER = 'https://10.0.0.10:6443'
/** Of a fresh host. */
const TOKEN = 'abcdef.0123456789abcdef'
const PINS = pinnedKeysIn(CLUSTER_CA).map(({hash}) => hash)
const OTHER_CA = pem('ca.pem')

interface Found {
  readonly bootstrap?: Bootstrap
  /** '' where it succeeded. */
  readonly id: string
  readonly requests: string[]
  readonly seconds: number
}

async function discover(sicken: (world: World) => void = () => {}, join: Partial<Joining> = {}): Promise<Found> {
  const host = await HostFolder.fresh(sicken)
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const start = machine.clock.now()
  const asked = {caCertHashes: PINS, isVerificationSkipped: false, server: SERVER, token: TOKEN, ...join}
  const outcome = await discoverCluster(machine, asked, new AbortController().signal).then(
    (bootstrap) => ({bootstrap, id: ''}),
    (error: unknown) => ({id: (error as {id?: string}).id ?? String(error)}),
  )
  const requests = host.transcript.filter(({via}) => via === 'http').map(({what}) => what.split(' ')[0] ?? '')
  return {...outcome, requests, seconds: Math.floor((machine.clock.now() - start) / 1000)}
}

const withToken =
  (more: Readonly<Record<string, string>>) =>
  ({cluster}: World): void =>
    void (cluster.secrets = [makeTokenSecret('abcdef', '0123456789abcdef', more)])

describe('the simulated cluster', () => {
  it('is discovered with the token of a fresh host, which changes nothing there', async () => {
    const {bootstrap, requests} = await discover()
    expect(bootstrap).toEqual({ca: CLUSTER_CA, server: SERVER, token: TOKEN})
    expect(requests).toEqual(['GET', 'GET', 'POST'])
  })

  it('signs a new token later', async () => {
    const {bootstrap, seconds} = await discover(({cluster, os}) => {
      for (const secret of cluster.secrets ?? []) secret.createdAt = os.time
      cluster.signerDelayMs = 20_000
    })
    expect(bootstrap?.token).toBe(TOKEN)
    expect(seconds).toBeGreaterThanOrEqual(15)
    expect(seconds).toBeLessThanOrEqual(30)
  })

  it.each<[string, string, (world: World) => void]>([
    ['an expired token', 'JOIN_TOKEN_UNSIGNED', withToken({expiration: '2020-01-01T00:00:00Z'})],
    ['a token that does not sign', 'JOIN_TOKEN_UNSIGNED', withToken({'usage-bootstrap-signing': 'false'})],
    [
      'a token that is not for authentication',
      'JOIN_TOKEN_REFUSED',
      withToken({'usage-bootstrap-authentication': 'false'}),
    ],
    ['a token of another group', 'JOIN_TOKEN_FORBIDDEN', withToken({'auth-extra-groups': 'system:bootstrappers:x'})],
    ['no cluster-info', 'JOIN_NO_CLUSTER_INFO', ({cluster}) => (cluster.clusterInfo = 'absent')],
    ['another CA', 'JOIN_CA_MISMATCH', ({cluster}) => (cluster.clusterInfo = {ca: OTHER_CA})],
    [
      'another CA for who does not verify',
      'JOIN_CA_MISMATCH',
      ({cluster}) => (cluster.clusterInfo = {unverified: {ca: OTHER_CA}}),
    ],
    [
      'another server for who does not verify',
      'JOIN_CLUSTER_INFO_CHANGED',
      ({cluster}) => (cluster.clusterInfo = {unverified: {server: 'https://10.0.0.66:6443'}}),
    ],
    ['a server with another certificate', 'JOIN_SERVER_UNTRUSTED', ({cluster}) => (cluster.serverAuthority = OTHER_CA)],
    [
      'a server that is unreachable',
      'JOIN_OTHER_SERVER_UNREACHABLE',
      ({cluster}) => (cluster.clusterInfo = {server: 'https://api.internal:6443'}),
    ],
    ['http', 'JOIN_CLUSTER_INFO_INVALID', ({cluster}) => (cluster.clusterInfo = {server: 'http://10.0.0.10:8080'})],
    ['nothing that answers', 'JOIN_SERVER_UNREACHABLE', ({cluster}) => (cluster.reachable = false)],
  ])('with %s is %s, within two minutes', async (_, id, sicken) => {
    const found = await discover(sicken)
    expect(found.id).toBe(id)
    expect(found.seconds).toBeLessThan(120)
  })

  it('does not know another secret', async () => {
    expect((await discover(undefined, {token: 'abcdef.fedcba9876543210'})).id).toBe('JOIN_TOKEN_WRONG')
  })
})
