// Whom we trust, over real TLS on loopback: exactly whom the daemons, which are Go programs, trust with the same kubeconfig.
import {describe, expect, it} from 'vitest'

import {clusterAt, pem, refusal, serveCluster, TOKEN} from './loopback-cluster.js'

const trusting = (text: string, more: object = {}): object => ({
  'certificate-authority-data': Buffer.from(text).toString('base64'),
  ...more,
})
const user = {token: TOKEN}

describe('review K1: an authority that is not self-signed', () => {
  it.each([
    [
      'review K1: an intermediate authority is trusted as it is',
      pem('server-under-intermediate.pem'),
      'intermediate.pem',
    ],
    [
      'review K1: also where the server sends the intermediate along',
      pem('server-under-intermediate.pem') + pem('intermediate.pem'),
      'intermediate.pem',
    ],
    ["review K1: the server's own certificate is trusted", pem('server.pem'), 'server.pem'],
  ])('%s', async (_, cert, authority) => {
    const {server} = await serveCluster({cert})
    const cluster = await clusterAt(server, {cluster: trusting(pem(authority)), user})
    expect(await cluster.node('win-1')).toMatchObject({name: 'win-1'})
  })

  it.each([
    ['another server of the same authority', 'server.pem', 'server-elsewhere.pem'],
    ['a stranger', 'server.pem', 'intermediate.pem'],
    ['a stranger to the intermediate', 'server-under-intermediate.pem', 'ca.pem'],
    ['a client certificate of the same authority as the pinned one', 'server.pem', 'client.pem'],
  ])('review K1: still refuses %s', async (_, certificate, authority) => {
    const {seen, server} = await serveCluster({certificate})
    const {id} = await refusal((await clusterAt(server, {cluster: trusting(pem(authority)), user})).node('win-1'))
    expect(id).toBe('API_SERVER_UNTRUSTED')
    expect(seen).toEqual([])
  })
})

describe('a certificate for its common name only', () => {
  it.each([
    ['no subjectAltName', 'server-common-name.pem'],
    ['none but an address', 'server-address-only.pem'],
  ])('review K4: with %s is refused, with its own error', async (_, certificate) => {
    const {seen, server} = await serveCluster({certificate})
    const cluster = trusting(pem('intermediate.pem'), {'tls-server-name': 'kubernetes'})
    const {id} = await refusal((await clusterAt(server, {cluster, user})).node('win-1'))
    expect(id).toBe('API_SERVER_COMMON_NAME_ONLY')
    expect(seen).toEqual([])
  })

  it('review K4: the address of a subjectAltName still counts, and another name is another name', async () => {
    const {server} = await serveCluster({certificate: 'server-address-only.pem'})
    const authority = pem('intermediate.pem')
    expect(await (await clusterAt(server, {cluster: trusting(authority), user})).node('win-1')).toBeDefined()
    const other = trusting(authority, {'tls-server-name': 'other.test'})
    expect((await refusal((await clusterAt(server, {cluster: other, user})).about())).id).toBe('API_SERVER_UNTRUSTED')
  })
})
