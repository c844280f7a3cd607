// token create, list and delete on the simulated cluster: a node can join with what they make, and no longer.
import {beforeEach, describe, expect, test} from 'vitest'
import {partsOf} from '../../../src/config/options/parse-join.js'
import {discoverCluster} from '../../../src/host/cluster/discovery.js'
import type {Machine} from '../../../src/machine/machine.js'
import type {TokenInput} from '../../../src/runs/token/admin-cluster.js'
import {type CreatedToken, createToken} from '../../../src/runs/token/create.js'
import {deleteToken} from '../../../src/runs/token/delete.js'
import {listTokens} from '../../../src/runs/token/list.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../../src/simulator/cluster/kubeconfig.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import type {World} from '../../../src/simulator/world.js'
import {refusal} from '../../host/cluster/loopback-cluster.js'
import {HostFolder} from '../../steps/host-folder.js'

const PROFILE = 'ws2025'
const SERVER = 'https://10.0.0.10:6443'
const HOUR = 3_600_000

let folder = HostFolder.empty()
beforeEach(async () => {
  folder = await HostFolder.fresh(() => {}, PROFILE)
  folder.put('admin.conf', makeKubeconfig(SERVER, ADMIN_CERTIFICATE))
  folder.put('node.conf', makeKubeconfig(SERVER, NODE_CERTIFICATE))
})

const open = (): Promise<Machine> => openSimulator({dir: folder.dir, profile: PROFILE})

async function input(machine?: Machine, name = 'admin.conf'): Promise<TokenInput> {
  const variable = {separator: ';', value: undefined}
  return {kubeconfig: `c:\\${name}`, machine: machine ?? (await open()), onSecret: () => {}, variable}
}

const create = (tokens: TokenInput, ttlMs = 24 * HOUR): Promise<CreatedToken> =>
  createToken({...tokens, description: 'rack 7', ttlMs})

const discover = (machine: Machine, {caCertHashes, server, token}: CreatedToken) =>
  discoverCluster(
    machine,
    {caCertHashes: [...caCertHashes], isVerificationSkipped: false, server, token},
    new AbortController().signal,
  )

describe('a created token', () => {
  test('is one that a node can join with, with its server and pin', async () => {
    const tokens = await input()
    const created = await create(tokens)
    expect(created).toMatchObject({server: SERVER, warnings: []})
    expect(created.caCertHashes).toHaveLength(1)
    expect(await discover(tokens.machine, created)).toMatchObject({server: SERVER, token: created.token})
  })

  test('is the only thing that changes in the cluster', async () => {
    const before = structuredClone(folder.world.cluster)
    const {token} = await create(await input())
    const {id} = partsOf(token)
    const {secrets = [], ...after} = structuredClone(folder.world.cluster)
    const {secrets: earlier = [], ...rest} = before
    expect(after).toEqual(rest)
    expect(secrets.slice(0, earlier.length)).toEqual(earlier)
    expect(secrets.slice(earlier.length)).toMatchObject([
      {name: `bootstrap-token-${id}`, namespace: 'kube-system', type: 'bootstrap.kubernetes.io/token'},
    ])
  })

  test('is listed, and after its deletion neither listed nor good for joining', async () => {
    const tokens = await input()
    const created = await create(tokens)
    const {id, secret} = partsOf(created.token)
    const listed = await listTokens(tokens)
    expect(listed.find((one) => one.id === id)).toMatchObject({
      description: 'rack 7',
      expiresAt: created.expiresAt,
      groups: ['system:bootstrappers:kubeadm:default-node-token'],
      usages: ['authentication', 'signing'],
    })
    expect(JSON.stringify(listed)).not.toContain(secret)
    expect(await deleteToken(tokens, id)).toBe(id)
    expect((await listTokens(tokens)).map((one) => one.id)).not.toContain(id)
    expect(await refusal(deleteToken(tokens, id))).toMatchObject({id: 'TOKEN_UNKNOWN'})
    expect(await refusal(discover(tokens.machine, created))).toMatchObject({id: 'JOIN_TOKEN_UNSIGNED'})
  })

  test('is gone when its time is over', async () => {
    const tokens = await input()
    const {token} = await create(tokens, HOUR)
    await tokens.machine.clock.sleep(2 * HOUR)
    const left = await listTokens(tokens)
    expect(left.filter(({id, ttlSeconds}) => id === partsOf(token).id && ttlSeconds !== 0)).toEqual([])
  })
})

describe('errors', () => {
  test('a node may manage no tokens: TOKEN_FORBIDDEN', async () => {
    const tokens = await input(undefined, 'node.conf')
    const ask = [() => create(tokens), () => listTokens(tokens), () => deleteToken(tokens, 'abcdef')]
    for (const one of ask) expect(await refusal(one())).toMatchObject({id: 'TOKEN_FORBIDDEN'})
  })

  test('a cluster that does not respond: API_SERVER_UNREACHABLE', async () => {
    folder.edit(({cluster}: World) => void (cluster.reachable = false))
    expect(await refusal(create(await input()))).toMatchObject({id: 'API_SERVER_UNREACHABLE'})
  })

  test('a cluster without cluster-info: a warning that joining does not work', async () => {
    folder.edit(({cluster}: World) => void (cluster.clusterInfo = 'absent'))
    const {server, warnings} = await create(await input())
    expect(server).toBe(SERVER)
    expect(warnings).toEqual([expect.stringContaining('nodes cannot join this cluster with a token')])
  })
})
