import {describe, expect, it} from 'vitest'
import {generateToken, tokenIdIn} from '../../../src/host/cluster/bootstrap-tokens.js'
import {clusterAt, refusal, serveCluster} from './loopback-cluster.js'

interface Asked {
  readonly body: unknown
  readonly method: string
  readonly url: string
}

/** An API server that answers the same to everything, and what it was asked. */
async function answering(status: number, document: object) {
  const asked: Asked[] = []
  const {server} = await serveCluster({
    answer(request, response) {
      let text = ''
      request.on('data', (part: Buffer) => (text += part.toString('utf8')))
      request.on('end', () => {
        const body: unknown = text === '' ? undefined : JSON.parse(text)
        asked.push({body, method: request.method ?? '', url: request.url ?? ''})
        response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(document))
      })
    },
  })
  return {asked, cluster: await clusterAt(server)}
}

const encoded = (data: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
const TOKEN = {id: 'abcdef', secret: 'canary0canary0ca'}
const TYPE = 'bootstrap.kubernetes.io/token'

describe('a generated token', () => {
  it('has the form that kubeadm demands, and is another each time', () => {
    const tokens = Array.from({length: 50}, () => generateToken())
    for (const {id, secret} of tokens) expect(`${id}.${secret}`).toMatch(/^[\da-z]{6}\.[\da-z]{16}$/)
    expect(new Set(tokens.map(({secret}) => secret)).size).toBe(50)
  })

  it('takes each letter by one number below 36', () => {
    let next = 0
    const below: number[] = []
    const {id, secret} = generateToken((limit) => {
      below.push(limit)
      return next++ % limit
    })
    expect(`${id}${secret}`).toBe('0123456789abcdefghijkl')
    expect(new Set(below)).toEqual(new Set([36]))
  })
})

describe('the ID', () => {
  it.each([
    ['abcdef', 'abcdef'],
    ['abcdef.0123456789abcdef', 'abcdef'],
    ['ABCDEF', undefined],
    ['abcde', undefined],
    ['abcdef.', undefined],
    ['abcdef.0123', undefined],
    ['../../x', undefined],
    ['', undefined],
  ])('in %j', (text, id) => {
    expect(tokenIdIn(text)).toBe(id)
  })
})

describe('a token', () => {
  it('is created as kubeadm creates it', async () => {
    const {asked, cluster} = await answering(201, {kind: 'Secret'})
    const settings = {description: 'rack 7', expiration: '2026-11-17T10:00:00Z'}
    expect(await cluster.createBootstrapToken(TOKEN, settings)).toBe(true)
    expect(asked).toEqual([
      {
        body: {
          apiVersion: 'v1',
          data: encoded({
            'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
            description: 'rack 7',
            expiration: '2026-11-17T10:00:00Z',
            'token-id': 'abcdef',
            'token-secret': TOKEN.secret,
            'usage-bootstrap-authentication': 'true',
            'usage-bootstrap-signing': 'true',
          }),
          kind: 'Secret',
          metadata: {name: 'bootstrap-token-abcdef', namespace: 'kube-system'},
          type: TYPE,
        },
        method: 'POST',
        url: '/api/v1/namespaces/kube-system/secrets',
      },
    ])
  })

  it('without expiration and description has neither key', async () => {
    const {asked, cluster} = await answering(201, {kind: 'Secret'})
    await cluster.createBootstrapToken(TOKEN, {description: '', expiration: undefined})
    expect(Object.keys((asked[0]!.body as {data: object}).data).sort()).toEqual([
      'auth-extra-groups',
      'token-id',
      'token-secret',
      'usage-bootstrap-authentication',
      'usage-bootstrap-signing',
    ])
  })

  it('whose ID is taken is not created', async () => {
    const {cluster} = await answering(409, {message: 'secrets "bootstrap-token-abcdef" already exists'})
    expect(await cluster.createBootstrapToken(TOKEN, {description: '', expiration: undefined})).toBe(false)
  })

  it.each([
    [404, 'API_SERVER_ANSWER'],
    [403, 'API_SERVER_FORBIDS'],
    [401, 'API_SERVER_REFUSES'],
    [500, 'API_SERVER_BUSY'],
  ])('that the server answers with %i is an error without the secret', async (status, id) => {
    const {cluster} = await answering(status, {message: 'no'})
    expect(await refusal(cluster.createBootstrapToken(TOKEN, {description: '', expiration: undefined}))).toMatchObject({
      id,
    })
  })

  it('is deleted by its ID', async () => {
    const {asked, cluster} = await answering(200, {kind: 'Status'})
    expect(await cluster.deleteBootstrapToken('abcdef')).toBe(true)
    expect(asked).toMatchObject([
      {method: 'DELETE', url: '/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef'},
    ])
    const absent = await answering(404, {message: 'not found'})
    expect(await absent.cluster.deleteBootstrapToken('abcdef')).toBe(false)
  })
})

describe('the list', () => {
  const secret = (name: string, data: Record<string, string>, type = TYPE): object => ({
    data: encoded(data),
    metadata: {name},
    type,
  })

  it('has every token without its secret, and nothing else', async () => {
    const {asked, cluster} = await answering(200, {
      items: [
        secret('bootstrap-token-abcdef', {
          'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b',
          description: 'rack 7',
          expiration: '2026-11-17T10:00:00Z',
          'token-id': 'abcdef',
          'token-secret': 'canary0canary0ca',
          'usage-bootstrap-authentication': 'true',
          'usage-bootstrap-signing': 'false',
        }),
        secret('bootstrap-token-000000', {'token-id': '000000', 'token-secret': 'canary0canary0ca'}),
        secret('bootstrap-token-other', {'token-id': 'abcdef', 'token-secret': 'canary0canary0ca'}),
        secret('bootstrap-token-111111', {'token-id': '111111'}, 'Opaque'),
        {metadata: {}},
        'nonsense',
      ],
    })
    const tokens = await cluster.bootstrapTokens()
    expect(tokens).toEqual([
      {
        description: 'rack 7',
        expiration: '2026-11-17T10:00:00Z',
        groups: ['system:bootstrappers:a', 'system:bootstrappers:b'],
        id: 'abcdef',
        usages: ['authentication'],
      },
      {description: '', expiration: undefined, groups: [], id: '000000', usages: []},
    ])
    expect(JSON.stringify(tokens)).not.toContain('canary')
    expect(asked[0]?.url).toContain(`fieldSelector=${encodeURIComponent(`type=${TYPE}`)}`)
  })
})
