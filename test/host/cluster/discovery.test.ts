// Discovery with a bootstrap token over real TLS on loopback: the right cluster, and every way in which it is not.
import {createServer} from 'node:http'
import {connect} from 'node:net'
import {describe, expect, it} from 'vitest'
import {CLUSTER_INFO_PATH} from '../../../src/host/cluster/cluster-info.js'
import {listening, serve} from '../../machine/real/servers.js'
import {pem} from './loopback-cluster.js'
import {
  type Answer,
  base64,
  configMap,
  discover,
  ID,
  infoText,
  json,
  OTHER_PIN,
  PIN,
  serveControlPlane,
  signed,
  status,
  TOKEN,
} from './loopback-control-plane.js'

const GET = `GET ${CLUSTER_INFO_PATH}`
const POST = `POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews Bearer ${TOKEN}`
const CA = pem('ca.pem')
const LOGIN_PAGE: Answer = (_, response) => void response.end('<html>')
const FORBIDDEN = status(403, 'configmaps "cluster-info" is forbidden: User "system:anonymous" cannot get resource')

/** For names that do not resolve: it knows that they are on loopback. */
async function proxy(): Promise<{asked: string[]; environment: NodeJS.ProcessEnv}> {
  const asked: string[] = []
  const server = createServer().on('connect', (request, socket) => {
    asked.push(String(request.url))
    const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const end of [socket, target]) end.on('error', () => end.destroy())
  })
  return {asked, environment: {HTTPS_PROXY: `http://127.0.0.1:${await listening(server)}`}}
}

describe('the right cluster', () => {
  it('is found with its token and its pin; the token is sent at the end', async () => {
    const {seen, server} = await serveControlPlane()
    const {bootstrap, clock} = await discover(server)
    expect(bootstrap).toEqual({ca: CA, server, token: TOKEN})
    expect(seen).toEqual([GET, GET, POST])
    expect(clock.slept).toEqual([])
  })

  it('is found where one of several pins fits', async () => {
    const {server} = await serveControlPlane()
    expect((await discover(server, {caCertHashes: [OTHER_PIN, PIN]})).bootstrap?.server).toBe(server)
  })

  it('is found without a pin, where that is wanted: it is asked once', async () => {
    const {seen, server} = await serveControlPlane()
    const found = await discover(server, {caCertHashes: [], isVerificationSkipped: true})
    expect(found.bootstrap).toEqual({ca: CA, server, token: TOKEN})
    expect(seen).toEqual([GET, POST])
  })

  it('may have two authorities and another address for nodes', async () => {
    const nodes = await serveControlPlane()
    const text = infoText(`${nodes.server}/`, `${pem('intermediate.pem')}${CA}`)
    const {seen, server} = await serveControlPlane({info: json(signed(text))})
    const {bootstrap} = await discover(server)
    expect(bootstrap).toEqual({ca: `${pem('intermediate.pem')}${CA}`, server: nodes.server, token: TOKEN})
    expect([seen, nodes.seen]).toEqual([[GET, GET], [POST]])
  })

  it('is reached through a proxy', async () => {
    const {asked, environment} = await proxy()
    const plane = {info: json({})}
    const {seen, server} = await serveControlPlane(plane)
    const named = server.replace('127.0.0.1', 'kubernetes')
    plane.info = json(signed(infoText(named)))
    expect((await discover(named, {environment})).bootstrap?.server).toBe(named)
    expect(seen).toEqual([GET, GET, POST])
    // The second and the third verify the same authority: one connection serves both.
    expect(asked).toEqual(Array(2).fill(new URL(named).host))
  })
})

describe('a token', () => {
  it('whose signature comes later is waited for', async () => {
    const plane = {info: json({})}
    const {seen, server} = await serveControlPlane(plane)
    const text = infoText(server)
    plane.info = (request, response, count) =>
      json(count < 4 ? configMap(text, undefined) : signed(text))(request, response, count)
    const {bootstrap, clock} = await discover(server)
    expect(bootstrap?.server).toBe(server)
    expect(clock.slept).toEqual([5000, 5000, 5000])
    expect(seen).toHaveLength(6)
  })

  it.each([[undefined], ['']])('that never signs has expired, or is of another cluster (%j)', async (signature) => {
    const {server} = await serveControlPlane({info: json(configMap(infoText('https://h:1'), signature))})
    const {clock, id, message, reason} = await discover(server)
    expect(id).toBe('JOIN_TOKEN_UNSIGNED')
    expect(message).toContain(ID)
    expect(reason).toContain('60 s')
    expect(clock.slept).toHaveLength(12)
  })

  it('with another secret is wrong', async () => {
    const {seen, server} = await serveControlPlane({info: json(signed(infoText('https://h:1'), 'x'.repeat(16)))})
    const {clock, id} = await discover(server)
    expect([id, clock.slept]).toEqual(['JOIN_TOKEN_WRONG', []])
    expect(seen).toEqual([GET])
  })

  it('that the API server rejects', async () => {
    const {server} = await serveControlPlane({review: status(401, 'Unauthorized')})
    expect((await discover(server)).id).toBe('JOIN_TOKEN_REFUSED')
  })

  it.each([
    ['denied', json({status: {allowed: false}}, 201)],
    ['forbidden', status(403, 'forbidden')],
    ['without meaning', json({status: {allowed: 'true'}}, 201)],
  ])('that may not request a certificate: %s, twice', async (_, review) => {
    const {clock, id} = await discover((await serveControlPlane({review})).server)
    expect([id, clock.slept]).toEqual(['JOIN_TOKEN_FORBIDDEN', [5000]])
  })

  it('may request one as soon as the roles are loaded', async () => {
    const {server} = await serveControlPlane({
      review: (request, response, count) => json({status: {allowed: count > 1}}, 201)(request, response, count),
    })
    expect((await discover(server)).bootstrap?.token).toBe(TOKEN)
  })
})

describe('a man in the middle', () => {
  /** With a certificate of his own. */
  const his = {certificate: 'server-address-only.pem'}

  it('who does not know the token cannot sign his own CA', async () => {
    const text = infoText('https://h:1', pem('intermediate.pem'))
    const {server} = await serveControlPlane({...his, info: json(signed(text, '0123456789abcdef'))})
    expect((await discover(server)).id).toBe('JOIN_TOKEN_WRONG')
  })

  it('who knows the token is found by the pin', async () => {
    const plane = {...his, info: json({})}
    const {seen, server} = await serveControlPlane(plane)
    plane.info = json(signed(infoText(server, pem('intermediate.pem'))))
    const {id, reason} = await discover(server)
    expect(id).toBe('JOIN_CA_MISMATCH')
    expect(reason).toContain(OTHER_PIN)
    expect(seen).toEqual([GET])
  })

  it('who relays cluster-info, such as a proxy that intercepts TLS, is found by his certificate', async () => {
    const {seen, server} = await serveControlPlane(his)
    const {id, reason} = await discover(server)
    expect(id).toBe('JOIN_SERVER_UNTRUSTED')
    expect(reason).toContain("not signed by the cluster's CA")
    expect(seen).toEqual([GET])
  })

  it('who adds his CA to the right one gains nothing', async () => {
    const plane = {...his, info: json({})}
    const {seen, server} = await serveControlPlane(plane)
    plane.info = json(signed(infoText(server, `${CA}${pem('intermediate.pem')}`)))
    expect((await discover(server)).id).toBe('JOIN_SERVER_UNTRUSTED')
    expect(seen).toEqual([GET])
  })

  it('review J12: a certificate of a CA that was not pinned names the hash of that CA', async () => {
    const plane = {...his, info: json({})}
    const {server} = await serveControlPlane(plane)
    plane.info = json(signed(infoText(server, `${CA}${pem('intermediate.pem')}`)))
    const {reason} = await discover(server)
    expect(reason).toContain(`The cluster also has the CA ${OTHER_PIN}`)
    expect(reason).not.toContain('something between')
  })

  it('who stands before the address for nodes never sees the token', async () => {
    const other = await serveControlPlane(his)
    const {server} = await serveControlPlane({info: json(signed(infoText(other.server)))})
    const {id, message} = await discover(server)
    expect(id).toBe('JOIN_SERVER_UNTRUSTED')
    expect(message).toContain(other.server)
    expect(other.seen).toEqual([])
  })

  it('who changes the first answer only is found by the second', async () => {
    const plane = {info: json({})}
    const {seen, server} = await serveControlPlane(plane)
    plane.info = (request, response, count) =>
      json(signed(infoText(count === 1 ? 'https://evil:1' : server)))(request, response, count)
    expect((await discover(server)).id).toBe('JOIN_CLUSTER_INFO_CHANGED')
    expect(seen).toEqual([GET, GET])
  })

  it('is not followed elsewhere', async () => {
    const {seen, server} = await serveControlPlane()
    const login = await serveControlPlane({
      info: (_, response) => void response.writeHead(302, {location: `${server}${CLUSTER_INFO_PATH}`}).end(),
    })
    const {id, reason} = await discover(login.server)
    expect(id).toBe('JOIN_NO_CLUSTER_INFO')
    expect(reason).toContain(`It returned 302 and points to ${server}`)
    expect(seen).toEqual([])
  })
})

describe('a certificate of the right CA', () => {
  it.each([
    ['server-expired.pem', 'API_SERVER_CERTIFICATE_LAPSED', 'has expired'],
    ['server-not-yet.pem', 'API_SERVER_CERTIFICATE_LAPSED', 'is not valid yet'],
    ['server-elsewhere.pem', 'JOIN_SERVER_UNTRUSTED', 'is for another name'],
  ])('%s', async (certificate, problem, why) => {
    const {seen, server} = await serveControlPlane({certificate})
    const {id, reason} = await discover(server)
    expect(id).toBe(problem)
    expect(reason).toContain(why)
    expect(seen).toEqual([GET])
  })

  it('with the address as its common name only', async () => {
    const plane = {certificate: 'server-common-name.pem', info: json({})}
    const {server} = await serveControlPlane(plane)
    plane.info = json(signed(infoText(server, pem('intermediate.pem'))))
    const {environment} = await proxy()
    const named = server.replace('127.0.0.1', 'kubernetes')
    const {id, reason} = await discover(named, {caCertHashes: [OTHER_PIN], environment})
    expect(id).toBe('JOIN_SERVER_UNTRUSTED')
    expect(reason).toContain('common name')
  })
})

describe('a server', () => {
  it('that does not listen is tried for a minute', async () => {
    const {clock, id, message, reason} = await discover('https://127.0.0.1:1')
    expect(id).toBe('JOIN_SERVER_UNREACHABLE')
    expect(message).toContain('https://127.0.0.1:1')
    expect(reason).toContain('ECONNREFUSED')
    expect(clock.slept).toEqual(Array(12).fill(5000))
  })

  it('that starts meanwhile is found', async () => {
    const plane = {info: status(503, 'starting')}
    const {server} = await serveControlPlane(plane)
    const right = json(signed(infoText(server)))
    plane.info = (...asked) => (asked[2] < 3 ? status(503, 'starting') : right)(...asked)
    const {bootstrap, clock} = await discover(server)
    expect(bootstrap?.server).toBe(server)
    expect(clock.slept).toEqual([5000, 5000])
  })

  it.each([429, 500, 503])('that is unable stays so: %i', async (code) => {
    const {id, reason} = await discover((await serveControlPlane({info: status(code, 'x')})).server)
    expect(id).toBe('JOIN_SERVER_UNREACHABLE')
    expect(reason).toContain(String(code))
  })

  it('without TLS is not tried again', async () => {
    const server = (await serve((_, response) => response.end('hello'))).replace('http:', 'https:')
    const {clock, id, reason} = await discover(server)
    expect([id, clock.slept]).toEqual(['JOIN_SERVER_UNREACHABLE', []])
    expect(reason).toContain('does not respond like an API server')
  })

  it.each([
    ['404', status(404, 'configmaps "cluster-info" not found'), 'returned 404: configmaps "cluster-info" not found.'],
    ['403', FORBIDDEN, 'returned 403: configmaps "cluster-info" is forbidden'],
    ['401', status(401, 'Unauthorized'), 'returned 401: Unauthorized.'],
    ['a login page', LOGIN_PAGE, 'no JSON object'],
    ['a list', json([]), 'no JSON object'],
    ['an object of another kind', json({data: {kubeconfig: 'x'}}), 'no JSON object'],
  ])('that has no cluster-info: %s, twice', async (_, info, why) => {
    const {clock, fix, id, reason} = await discover((await serveControlPlane({info})).server)
    expect([id, clock.slept]).toEqual(['JOIN_NO_CLUSTER_INFO', [5000]])
    expect(reason).toContain(why)
    expect(fix).toContain('--kubeconfig')
  })

  it('that has its roles a moment later is found', async () => {
    const plane = {info: FORBIDDEN}
    const {server} = await serveControlPlane(plane)
    const right = json(signed(infoText(server)))
    plane.info = (...asked) => (asked[2] === 1 ? FORBIDDEN : right)(...asked)
    expect((await discover(server)).bootstrap?.server).toBe(server)
  })

  it('that sends without end is not read to its end', async () => {
    const {server} = await serveControlPlane({
      info: (_, response) => {
        const piece = 'x'.repeat(1024 ** 2)
        const write = (): void => {
          while (!response.destroyed && response.write(piece)) continue
        }
        response.on('drain', write)
        write()
      },
    })
    const {clock, id} = await discover(server)
    expect([id, clock.slept]).toEqual(['JOIN_SERVER_UNREACHABLE', []])
  })

  it('that says much is quoted shortly', async () => {
    const {reason} = await discover((await serveControlPlane({info: status(403, 'no '.repeat(10_000))})).server)
    expect(reason.length).toBeLessThan(700)
  })
})

describe('a signed cluster-info', () => {
  const ca = base64(CA)
  const cluster = (fields: string): string => `clusters: [{name: "", cluster: {${fields}}}]`

  it.each([
    ['without a kubeconfig', '', 'contains no kubeconfig'],
    ['that is no YAML', '{', 'it is not YAML'],
    ['that is a text', 'hello', 'it is not a kubeconfig'],
    ['that is nested', '['.repeat(20_000), 'nested too deeply'],
    ['without a cluster', 'kind: Config', 'it contains no cluster'],
    ['without a CA', cluster('server: "https://h:1"'), 'no certificate authority'],
    [
      'whose CA is a file',
      cluster('server: "https://h:1", certificate-authority: /etc/shadow'),
      'no certificate authority',
    ],
    ['whose CA is no PEM', cluster('server: "https://h:1", certificate-authority-data: AAAA'), 'holds no certificate'],
    ['whose CA is no base64', cluster('server: "https://h:1", certificate-authority-data: "!"'), 'not base64'],
    ['that trusts everybody', cluster(`insecure-skip-tls-verify: true, certificate-authority-data: ${ca}`), 'insecure'],
    ['without a server', cluster(`certificate-authority-data: ${ca}`), 'contains no server'],
    ['with http', cluster(`server: "http://h:1", certificate-authority-data: ${ca}`), 'not an https address'],
    ['with a host alone', cluster(`server: "h:1", certificate-authority-data: ${ca}`), 'not an https address'],
    ['with a user', cluster(`server: "https://u:p@h:1", certificate-authority-data: ${ca}`), 'has a user'],
    ['that is large', `# ${'x'.repeat(300_000)}`, 'more than 256 KiB'],
  ])('%s cannot be used', async (_, text, why) => {
    const {seen, server} = await serveControlPlane({info: json(signed(text))})
    const {id, reason} = await discover(server)
    expect(id).toBe('JOIN_CLUSTER_INFO_INVALID')
    expect(reason).toContain(why)
    expect(seen).toEqual([GET])
  })

  it('may name its cluster by the current context', async () => {
    const plane = {info: json({})}
    const {server} = await serveControlPlane(plane)
    const contexts = 'contexts: [{name: c, context: {cluster: k}}]\ncurrent-context: c'
    plane.info = json(
      signed(`${contexts}\n${cluster(`server: "${server}", certificate-authority-data: ${ca}`).replace('""', 'k')}`),
    )
    expect((await discover(server)).bootstrap?.ca).toBe(CA)
  })

  it('that names a server that does not answer', async () => {
    const {server} = await serveControlPlane({info: json(signed(infoText('https://127.0.0.1:1')))})
    const {fix, id, message, reason} = await discover(server)
    expect(id).toBe('JOIN_OTHER_SERVER_UNREACHABLE')
    expect(message).toContain('https://127.0.0.1:1')
    expect(reason).toContain(server)
    expect(fix).toContain('controlPlaneEndpoint')
  })
})

it('ends when it is interrupted', async () => {
  const controller = new AbortController()
  const {server} = await serveControlPlane({info: () => controller.abort(new Error('interrupted'))})
  expect((await discover(server, {signal: controller.signal})).id).toBe('Error: interrupted')
})
