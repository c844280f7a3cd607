// token create, list and delete against an API server: what they ask, what they return, and every way to fail.
import {describe, expect, it} from 'vitest'
import {kubeconfigMissing} from '../../../src/errors/cluster.js'
import type {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {pinnedKeysIn} from '../../../src/host/cluster/public-key-pin.js'
import {createToken, type CreateInput} from '../../../src/runs/token/create.js'
import {deleteToken} from '../../../src/runs/token/delete.js'
import {listTokens} from '../../../src/runs/token/list.js'
import {pem, refusal} from '../../host/cluster/loopback-cluster.js'
import {clusterInfo, decoded, NOW, type TokenCluster, tokenCluster} from './token-rig.js'

const PUBLISHED = 'https://10.0.0.10:6443'
const PINS = pinnedKeysIn(pem('ca.pem')).map(({hash}) => hash)
const HOUR = 3_600_000
const create = ({input}: TokenCluster, more: Partial<CreateInput> = {}) =>
  createToken({...input, description: '', onSecret: () => {}, ttlMs: 24 * HOUR, ...more})

describe('token create', () => {
  it('creates one Secret and reads cluster-info: nothing else', async () => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED)})
    const registered: string[] = []
    const onSecret = (secret: string): void => void registered.push(secret)
    const created = await create(cluster, {description: 'rack 7', onSecret})
    expect(cluster.asked).toEqual([
      'GET /api/v1/namespaces/kube-public/configmaps/cluster-info',
      'POST /api/v1/namespaces/kube-system/secrets',
    ])
    const [id = '', secret = ''] = created.token.split('.')
    expect(created).toEqual({
      caCertHashes: PINS,
      // In whole seconds.
      expiresAt: '2026-11-17T12:00:00Z',
      server: PUBLISHED,
      token: `${id}.${secret}`,
      warnings: [],
    })
    expect(cluster.secrets.map(decoded)).toMatchObject([
      {description: 'rack 7', expiration: '2026-11-17T12:00:00Z', 'token-id': id, 'token-secret': secret},
    ])
    // Those of the administrator's kubeconfig come first.
    expect(registered.length).toBeGreaterThan(1)
    expect(registered.filter((one) => created.token.includes(one))).toEqual([secret])
  })

  it('with a TTL of 0 never expires', async () => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED)})
    expect(await create(cluster, {ttlMs: 0})).toMatchObject({expiresAt: undefined})
    expect(cluster.secrets.map((secret) => decoded(secret)['expiration'])).toEqual([undefined])
  })

  it('tries another ID where one is taken', async () => {
    const taken = new Set(['bootstrap-token-000000', 'bootstrap-token-111111'])
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED), isTaken: (name) => taken.has(name)})
    let asked = 0
    // 22 letters for each token.
    const created = await create(cluster, {random: () => Math.floor(asked++ / 22)})
    expect(created.token).toBe('222222.2222222222222222')
    expect(cluster.secrets).toHaveLength(1)
  })

  it('ends where every ID is taken', async () => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED), isTaken: () => true})
    expect(await refusal(create(cluster))).toMatchObject({id: 'API_SERVER_ANSWER'})
    expect(cluster.asked.filter((line) => line.startsWith('POST'))).toHaveLength(5)
  })

  it.each([
    ['is absent', undefined, /does not have the ConfigMap cluster-info in kube-public: nodes cannot join/],
    ['has no kubeconfig', {}, /has no https server/],
    ['is no kubeconfig', 'nonsense', /has no https server/],
    ['is forbidden', 403, /may not read the ConfigMap cluster-info/],
  ])('warns where cluster-info %s, with server and pin of the kubeconfig', async (_, info, warning) => {
    const cluster = await tokenCluster(info === undefined ? {} : {clusterInfo: info})
    const {caCertHashes: pins, server, warnings} = await create(cluster)
    expect({pins, server}).toEqual({pins: PINS, server: cluster.server})
    expect(warnings).toEqual([expect.stringMatching(warning)])
    expect(cluster.secrets).toHaveLength(1)
  })

  it('review J12: a server with an IPv6 address in cluster-info is named as the reason', async () => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo('https://[fd00::10]:6443')})
    const {server, warnings} = await create(cluster)
    expect(server).toBe(cluster.server)
    expect(warnings).toEqual([
      expect.stringMatching(/has an IPv6 address, which setup --server does not accept: server/),
    ])
  })

  it('without the right to says who can: TOKEN_FORBIDDEN', async () => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED), forbidden: ['POST']})
    const {fix, id, reason} = await refusal(create(cluster))
    expect(id).toBe('TOKEN_FORBIDDEN')
    expect(reason).toContain('User "viewer"')
    expect(fix).toContain('/etc/kubernetes/admin.conf')
    expect(fix).toContain('"create" on Secrets in the namespace kube-system')
  })
})

describe('token list', () => {
  it('shows what is left, and no secret', async () => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED)})
    const {token} = await create(cluster, {description: 'rack 7', ttlMs: HOUR})
    await create(cluster, {ttlMs: 0})
    const listed = await listTokens(cluster.input)
    expect(listed).toMatchObject([
      {
        description: 'rack 7',
        expiresAt: '2026-11-16T13:00:00Z',
        groups: ['system:bootstrappers:kubeadm:default-node-token'],
        id: token.slice(0, 6),
        ttlSeconds: 3599,
        usages: ['authentication', 'signing'],
      },
      {expiresAt: null, ttlSeconds: null},
    ])
    expect(JSON.stringify(listed)).not.toContain(token.slice(7))
  })

  it.each([
    [new Date(NOW - 1).toISOString(), 0],
    ['nonsense', null],
  ])('of a token with the expiration %s', async (expiration, ttlSeconds) => {
    const cluster = await tokenCluster()
    const data = {expiration, 'token-id': 'abcdef', 'token-secret': 'canary0canary0ca'}
    cluster.secrets.push({
      data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
      metadata: {name: 'bootstrap-token-abcdef'},
      type: 'bootstrap.kubernetes.io/token',
    })
    expect(await listTokens(cluster.input)).toMatchObject([{expiresAt: expiration, ttlSeconds}])
  })

  it('without the right to: TOKEN_FORBIDDEN', async () => {
    const {input} = await tokenCluster({forbidden: ['GET']})
    expect(await refusal(listTokens(input))).toMatchObject({id: 'TOKEN_FORBIDDEN'})
  })
})

describe('token delete', () => {
  it.each(['id', 'token'])('by %s', async (by) => {
    const cluster = await tokenCluster({clusterInfo: clusterInfo(PUBLISHED)})
    const {token} = await create(cluster)
    await create(cluster)
    const id = token.slice(0, 6)
    expect(await deleteToken(cluster.input, by === 'id' ? id : token)).toBe(id)
    expect(cluster.secrets).toHaveLength(1)
    expect(cluster.secrets.map((secret) => decoded(secret)['token-id'])).not.toContain(id)
  })

  it('of an unknown one: TOKEN_UNKNOWN, exit code 3', async () => {
    const {input, server} = await tokenCluster()
    const error = (await deleteToken(input, 'abcdef').catch((reason: unknown) => reason)) as K8sWinError
    expect(error).toMatchObject({exitCode: 3, id: 'TOKEN_UNKNOWN'})
    expect(error.reason).toContain(server)
  })

  it.each(['nope', 'abcdef.canary', '../configmaps/x'])(
    'of %s: TOKEN_MALFORMED, before anything is asked',
    async (text) => {
      const cluster = await tokenCluster()
      expect(await refusal(deleteToken(cluster.input, text))).toMatchObject({id: 'TOKEN_MALFORMED'})
      expect(cluster.asked).toEqual([])
    },
  )

  it('without the right to: TOKEN_FORBIDDEN', async () => {
    const {input} = await tokenCluster({forbidden: ['DELETE']})
    expect(await refusal(deleteToken(input, 'abcdef'))).toMatchObject({id: 'TOKEN_FORBIDDEN'})
  })
})

describe('the kubeconfig', () => {
  it('is the one of KUBECONFIG where none is given', async () => {
    const {input} = await tokenCluster()
    const variable = {separator: ':', value: `${input.kubeconfig}:`}
    expect(await listTokens({...input, kubeconfig: undefined, variable})).toEqual([])
  })

  it.each([undefined, '', ' : '])('is needed (KUBECONFIG=%s): ADMIN_KUBECONFIG_NOT_GIVEN', async (value) => {
    const {input} = await tokenCluster()
    const asked = listTokens({...input, kubeconfig: undefined, variable: {separator: ':', value}})
    expect(await refusal(asked)).toMatchObject({id: 'ADMIN_KUBECONFIG_NOT_GIVEN'})
  })

  it('is one: BAD_VALUE for several', async () => {
    const {input} = await tokenCluster()
    const asked = listTokens({...input, kubeconfig: undefined, variable: {separator: ';', value: 'a;b'}})
    expect(await refusal(asked)).toMatchObject({
      id: 'BAD_VALUE',
      message: expect.stringContaining('KUBECONFIG') as string,
    })
  })

  it('that does not exist: KUBECONFIG_MISSING', async () => {
    const {input} = await tokenCluster()
    expect(await refusal(listTokens({...input, kubeconfig: '/nowhere/admin.conf'}))).toMatchObject({
      id: 'KUBECONFIG_MISSING',
    })
  })
})

describe('review U2-20: the fix of KUBECONFIG_MISSING', () => {
  it('names both ways, but a token only where it replaces the file', () => {
    expect(kubeconfigMissing({flag: 'kubeconfig', path: 'x'}).fix).toMatch(/--kubeconfig .*--token-file/)
    expect(kubeconfigMissing({flag: 'kube-proxy-kubeconfig', path: 'x'}).fix).not.toContain('token')
  })

  it("is that of an administrator's where a token is created", async () => {
    const {input} = await tokenCluster()
    const {fix} = await refusal(listTokens({...input, kubeconfig: '/nowhere/admin.conf'}))
    expect(fix).not.toContain('token')
  })
})
