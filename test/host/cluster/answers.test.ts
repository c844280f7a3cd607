// A server on loopback that is unhealthy, or no API server at all: each way to fail has its own words.
import {createServer as createProxy, type IncomingMessage, type ServerResponse} from 'node:http'
import {type AddressInfo, connect, createServer, type Socket} from 'node:net'
import {describe, expect, it, onTestFinished} from 'vitest'

import {listening, serve} from '../../machine/real/servers.js'
import {clusterAt, impatient, refusal, serveCluster, TOKEN} from './loopback-cluster.js'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const status =
  (code: number, message: string): Answer =>
  (_, response) =>
    void response.writeHead(code, {'content-type': 'application/json'}).end(JSON.stringify({kind: 'Status', message}))

const HTML = '<html><title>Login</title>'

async function askOf(answer: Answer, deadlineMs = 5000) {
  const {server} = await serveCluster({answer})
  const cluster = await clusterAt(server, {machine: impatient(deadlineMs), user: {token: TOKEN}})
  return {...(await refusal(cluster.node('win-1'))), server}
}

describe('an answer that is none', () => {
  it.each<[string, Answer, string, string]>([
    [
      '500',
      status(500, 'etcdserver: leader changed'),
      'API_SERVER_BUSY',
      '500 for GET /api/v1/nodes/win-1: etcdserver',
    ],
    ['503 in HTML', (_, response) => void response.writeHead(503).end(HTML), 'API_SERVER_BUSY', 'It returned 503'],
    ['429', status(429, 'Too many requests'), 'API_SERVER_BUSY', 'Too many requests (the API server'],
    ['400', status(400, 'bad'), 'API_SERVER_ANSWER', 'It returned 400'],
    ['HTML', (_, response) => void response.end(HTML), 'API_SERVER_ANSWER', 'It returned no JSON object'],
    ['nothing', (_, response) => void response.end(), 'API_SERVER_ANSWER', 'It returned no JSON object'],
  ])('%s', async (_, answer, id, why) => {
    const told = await askOf(answer)
    expect(told).toMatchObject({id})
    expect(told.message).toContain(told.server)
    expect(told.reason).toContain(why)
    expect(told.reason).not.toContain('<')
  })

  it.each([400, 403, 500])('review S9: %i with a message of megabytes is reported in part', async (code) => {
    const {reason} = await askOf(status(code, 'x '.repeat(1_000_000)))
    expect(reason.length).toBeGreaterThan(2000)
    expect(reason.length).toBeLessThan(2300)
  })

  it('is asked for once', async () => {
    let asked = 0
    await askOf((_, response) => {
      asked++
      response.writeHead(503, {'retry-after': '0'}).end()
    })
    expect(asked).toBe(1)
  })
})

describe('a redirect is not followed', () => {
  it.each([302, 307, 308])('%i', async (code) => {
    const asked: string[] = []
    const elsewhere = await serve((request, response) => {
      asked.push(String(request.headers.authorization))
      response.end('{}')
    })
    const {id, reason} = await askOf((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(code, {location: `${elsewhere}/login?state=canary`}).end()
    })
    expect(id).toBe('API_SERVER_ANSWER')
    expect(reason).toContain(`It returned ${code} for GET /api/v1/nodes/win-1 and points to ${elsewhere}.`)
    expect(asked).toEqual(['/api/v1/nodes/win-1'])
  })

  it('also not to the server itself', async () => {
    let asked = 0
    const {id} = await askOf((_, response) => {
      asked++
      response.writeHead(301, {location: '/api/v1/nodes/win-1/'}).end()
    })
    expect({asked, id}).toEqual({asked: 1, id: 'API_SERVER_ANSWER'})
  })
})

/** Speaks neither TLS nor HTTP of its own. Closes with its test. */
async function tcpServer(onConnect: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    onConnect(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('a server that cannot be asked', () => {
  it('hangs', async () => {
    const {id, reason} = await askOf(() => undefined, 200)
    expect(id).toBe('API_SERVER_UNREACHABLE')
    expect(reason).toContain('ETIMEDOUT')
  })

  it('hangs in the middle of its answer', async () => {
    const {id, reason} = await askOf((_, response) => void response.writeHead(200).write('{"kind":'), 200)
    expect(id).toBe('API_SERVER_UNREACHABLE')
    expect(reason).toContain('ETIMEDOUT')
  })

  it('breaks the connection, before or in its answer', async () => {
    const before = await askOf((request) => request.socket.destroy())
    expect(before).toMatchObject({
      id: 'API_SERVER_UNREACHABLE',
      reason: expect.stringContaining('ECONNRESET') as string,
    })
    const within = await askOf((request, response) => {
      response.writeHead(200, {'content-length': '100'}).write('{"kind":', () => request.socket.destroy())
    })
    expect(within).toMatchObject({id: 'API_SERVER_UNREACHABLE', reason: expect.stringContaining('TRUNCATED') as string})
  })

  it('never begins to speak TLS, ends at once, or speaks something else', async () => {
    const at = async (onConnect: (socket: Socket) => void) => {
      const port = await tcpServer(onConnect)
      const cluster = await clusterAt(`https://127.0.0.1:${port}`, {machine: impatient(200)})
      return refusal(cluster.about())
    }
    expect((await at(() => undefined)).reason).toContain('ETIMEDOUT')
    expect((await at((socket) => socket.resetAndDestroy())).id).toBe('API_SERVER_UNREACHABLE')
    const plain = await at((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(plain).toMatchObject({id: 'API_SERVER_ANSWER', reason: expect.stringMatching(/ERR_SSL|EPROTO/) as string})
  })

  it('is not there', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => void closed.listen(0, '127.0.0.1', resolve))
    const {port} = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const {id, message, reason} = await refusal((await clusterAt(`https://127.0.0.1:${port}`)).about())
    expect({id, message}).toEqual({
      id: 'API_SERVER_UNREACHABLE',
      message: `The API server https://127.0.0.1:${port} cannot be reached`,
    })
    expect(reason).toContain('ECONNREFUSED')
  })
})

it("goes through the kubeconfig's proxy, to loopback too, and never reports its password", async () => {
  const connects: string[] = []
  const proxy = createProxy().on('connect', (request, socket) => {
    connects.push(`${request.url} ${request.headers['proxy-authorization']}`)
    const [, port] = (request.url ?? '').split(':')
    const onward = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
  })
  const url = `http://user:canary-password@127.0.0.1:${await listening(proxy)}`
  const {server} = await serveCluster()
  const cluster = await clusterAt(server, {cluster: {'proxy-url': url}})
  expect(await cluster.node('win-1')).toMatchObject({name: 'win-1'})
  const basic = Buffer.from('user:canary-password').toString('base64')
  expect(connects).toEqual([`${server.replace('https://', '')} Basic ${basic}`])
  const dead = await clusterAt(server, {cluster: {'proxy-url': 'http://user:canary-password@127.0.0.1:1'}})
  expect((await refusal(dead.about())).id).toBe('API_SERVER_UNREACHABLE')
})
