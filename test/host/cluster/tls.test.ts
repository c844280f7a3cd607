// The cluster over real TLS on loopback: who we are, whom we trust, and what is said where either fails.
import {describe, expect, it} from 'vitest'

import {ADMIN_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {AUTHORITY, clientPair, clusterAt, pem, refusal, serveCluster, TOKEN} from './loopback-cluster.js'

const WIN_1 = {addresses: ['10.0.0.5'], name: 'win-1', podCIDR: '10.244.3.0/24', ready: true}

describe('a cluster that is the right one', () => {
  it('answers a client certificate', async () => {
    const {seen, server} = await serveCluster()
    const cluster = await clusterAt(server)
    expect(await cluster.node('win-1')).toMatchObject(WIN_1)
    expect(await cluster.node('win-2')).toBeUndefined()
    expect((await cluster.about()).version).toMatch(/^v1\.\d+/)
    expect(await cluster.dnsAddress()).toMatch(/^10\.10\./)
    expect(seen).toEqual([
      'GET /api/v1/nodes/win-1 system:node:win-1',
      'GET /api/v1/nodes/win-2 system:node:win-1',
      'GET /version system:node:win-1',
      'GET /api/v1/namespaces/kube-system/services?limit=500 system:node:win-1',
    ])
  })

  it('answers a token', async () => {
    const {seen, server} = await serveCluster()
    expect(await (await clusterAt(server, {user: {token: TOKEN}})).node('win-1')).toMatchObject(WIN_1)
    expect(seen).toEqual(['GET /api/v1/nodes/win-1 system:serviceaccount:kube-system:node'])
  })

  it('removes a node for who may', async () => {
    const {seen, server, stage} = await serveCluster()
    const user = clientPair(ADMIN_CERTIFICATE.cert, ADMIN_CERTIFICATE.key)
    await (await clusterAt(server, {user})).deleteNode('win-1')
    expect(seen).toEqual(['DELETE /api/v1/nodes/win-1 kubernetes-admin'])
    expect(stage.world.cluster.nodes.map(({name}) => name)).not.toContain('win-1')
  })

  it('is reached by another name, which its certificate has', async () => {
    const {server} = await serveCluster({certificate: 'server-elsewhere.pem'})
    const cluster = await clusterAt(server, {cluster: {'tls-server-name': 'elsewhere.test'}})
    expect(await cluster.node('win-1')).toMatchObject(WIN_1)
  })
})

describe('a cluster that does not take us', () => {
  it.each([
    ['a client certificate of another authority', clientPair(pem('client.pem'), pem('leaf.key')), 'of another cluster'],
    [
      'an expired client certificate',
      clientPair(pem('client-expired.pem'), pem('leaf.key')),
      'The client certificate expired on 2021-01-01.',
    ],
    ['a token it does not know', {token: 'canary-unknown'}, 'The token may be of another cluster'],
  ])('because of %s', async (_, user, why) => {
    const {seen, server} = await serveCluster()
    const {id, message, reason} = await refusal((await clusterAt(server, {user})).node('win-1'))
    expect(id).toBe('API_SERVER_REFUSES')
    expect(message).toContain(server)
    expect(reason).toContain('It returned 401')
    expect(reason).toContain(why)
    expect(seen).toEqual(['GET /api/v1/nodes/win-1 nobody'])
  })

  it('because we show nothing', async () => {
    const {seen, server} = await serveCluster()
    const {id, reason} = await refusal((await clusterAt(server, {user: {}})).node('win-1'))
    expect(id).toBe('API_SERVER_REFUSES')
    expect(reason).toBe(
      "It returned 403: it rejects the credentials. The kubeconfig's user has neither a certificate nor a token.",
    )
    expect(seen).toEqual(['GET /api/v1/nodes/win-1 system:anonymous'])
  })

  it('because what stands before it wants a certificate', async () => {
    const {server} = await serveCluster({ca: pem('ca.pem'), rejectUnauthorized: true})
    const {id, reason} = await refusal((await clusterAt(server, {user: {token: TOKEN}})).about())
    expect(id).toBe('API_SERVER_REFUSES')
    expect(reason).toMatch(/TLS handshake \(ERR_SSL_.+_ALERT_/)
    expect(reason).toContain('The token may be')
  })

  it('because what stands before it hangs up on an expired certificate', async () => {
    const {server} = await serveCluster({ca: pem('ca.pem'), rejectUnauthorized: true})
    const user = clientPair(pem('client-expired.pem'), pem('leaf.key'))
    const {id, reason} = await refusal((await clusterAt(server, {user})).about())
    expect(id).toBe('API_SERVER_UNREACHABLE')
    expect(reason).toContain('(ECONNRESET). The client certificate expired on 2021-01-01.')
  })

  it('because we may not', async () => {
    const {server, stage} = await serveCluster()
    stage.world.cluster.permissions = []
    const {fix, id, message, reason} = await refusal((await clusterAt(server)).node('win-1'))
    expect(id).toBe('API_SERVER_FORBIDS')
    expect(message).toContain('GET /api/v1/nodes/win-1')
    expect(reason).toContain('User "system:node:win-1" cannot get resource "nodes"')
    expect(fix).toContain('system:nodes')
  })
})

describe('a server that may be anybody', () => {
  const other = {'certificate-authority-data': Buffer.from(pem('client.pem')).toString('base64')}

  it.each([
    ['whose authority is another', 'server.pem', other, "is not signed by the kubeconfig's certificate authority"],
    [
      'whose authority nobody names',
      'server.pem',
      {'certificate-authority-data': null},
      'contains no certificate authority',
    ],
    ['whose certificate is for another name', 'server-elsewhere.pem', {}, 'IP: 127.0.0.1 is not in the cert'],
    ['that is not the one meant', 'server.pem', {'tls-server-name': 'other.test'}, 'is not in the cert'],
  ])('%s gets no request', async (_, certificate, cluster, why) => {
    const {seen, server} = await serveCluster({certificate})
    const {fix, id, reason} = await refusal((await clusterAt(server, {cluster, user: {token: TOKEN}})).node('win-1'))
    expect(id).toBe('API_SERVER_UNTRUSTED')
    expect(reason).toContain(why)
    expect(fix).toMatch(/new kubeconfig.*clock/)
    expect(seen).toEqual([])
  })

  it.each([
    ['has expired', 'server-expired.pem', 'Its certificate has expired. This host'],
    ['is of the future', 'server-not-yet.pem', 'Its certificate is not valid yet. This host'],
  ])('whose certificate %s is told nothing either, and the fix names the clock', async (_, certificate, why) => {
    const {seen, server} = await serveCluster({certificate})
    const {fix, id, reason} = await refusal((await clusterAt(server, {user: {token: TOKEN}})).node('win-1'))
    expect(id).toBe('API_SERVER_CERTIFICATE_LAPSED')
    expect(reason).toContain(why)
    expect(fix).toMatch(/set the clock of this host/)
    expect(seen).toEqual([])
  })

  it('is not trusted because it sends its authority along', async () => {
    const {server} = await serveCluster({cert: pem('server.pem') + pem('ca.pem')})
    expect((await refusal((await clusterAt(server, {cluster: other})).about())).id).toBe('API_SERVER_UNTRUSTED')
    expect((await (await clusterAt(server, {cluster: AUTHORITY})).about()).version).toMatch(/^v1/)
  })
})
