// Connections to an API server that stay open between requests: how many, for whom, until when.
import {execFile} from 'node:child_process'
import type {RequestListener} from 'node:http'
import {createServer} from 'node:https'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {gzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import packageDocument from '../../../package.json' with {type: 'json'}
import type {HttpRequest} from '../../../src/machine/http.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {failure, get} from './requests.js'
import {certificate, listening} from './servers.js'

const ca = certificate('ca.pem')
const client = {cert: certificate('client.pem'), key: certificate('client.key')}

interface Served {
  /** How many were opened. */
  readonly connections: () => number
  /** How many are open now. */
  readonly open: () => number
  readonly url: string
}

async function serveCounting(listener: RequestListener): Promise<Served> {
  const sockets = new Set<unknown>()
  let connections = 0
  const server = createServer(
    {cert: certificate('server.pem'), key: certificate('server.key'), requestCert: true, rejectUnauthorized: false},
    listener,
  )
  server.on('secureConnection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return {connections: () => connections, open: () => sockets.size, url: `https://127.0.0.1:${await listening(server)}`}
}

const ok: RequestListener = (_, response) => void response.end('{}')
const machine = () => openRealMachine({environment: {}}).http
const kept = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => get(url, {isKept: true, tls: {ca}, ...more})
const settled = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => void setTimeout(resolve, 5))
}

describe('review J4: a kept connection', () => {
  it('serves one request after the other', async () => {
    const {connections, url} = await serveCounting(ok)
    const http = machine()
    for (let count = 0; count < 20; count++) expect((await http.request(kept(url))).status).toBe(200)
    expect(connections()).toBe(1)
    http.disconnect()
  })

  it('is one of four at most, however many requests there are at once', async () => {
    const {connections, url} = await serveCounting((_, response) => void setTimeout(() => response.end(), 10))
    const http = machine()
    await Promise.all(Array.from({length: 40}, () => http.request(kept(url))))
    expect(connections()).toBe(4)
    http.disconnect()
  })

  it('is for one certificate and one trust only', async () => {
    const {connections, url} = await serveCounting((request, response) => {
      const {subject} = (request.socket as import('node:tls').TLSSocket).getPeerCertificate()
      response.end(JSON.stringify(subject?.CN ?? 'nobody'))
    })
    const http = machine()
    const who = async (more: Partial<HttpRequest>): Promise<string> =>
      String(JSON.parse((await http.request(kept(url, more))).body.toString()))
    expect(await who({})).toBe('nobody')
    expect(await who({tls: {ca, ...client}})).not.toBe('nobody')
    expect(await who({})).toBe('nobody')
    // The name of the certificate is judged again for who wants another one.
    const other = failure(http.request(kept(url, {tls: {ca, serverName: '10.9.9.9'}})))
    expect((await other).code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(connections()).toBeLessThanOrEqual(4)
    http.disconnect()
  })

  it('ends with disconnect, and what is in use comes to its end first', async () => {
    let answer: (() => void) | undefined
    const {connections, open, url} = await serveCounting((request, response) => {
      if (request.url === '/slow') answer = () => void response.end('late')
      else response.end()
    })
    const http = machine()
    await Promise.all([http.request(kept(url)), http.request(kept(url))])
    const slow = http.request(kept(`${url}/slow`))
    await settled(() => answer !== undefined)
    http.disconnect()
    await settled(() => open() === 1)
    answer?.()
    expect((await slow).body.toString()).toBe('late')
    const before = connections()
    await http.request(kept(url))
    expect(connections()).toBe(before + 1)
    http.disconnect()
  })

  it('is not used again after a request that failed: the others may be as dead', async () => {
    const {connections, url} = await serveCounting((request, response) => {
      if (request.url === '/dead') request.socket.destroy()
      else response.end()
    })
    const http = machine()
    await http.request(kept(url))
    expect((await failure(http.request(kept(`${url}/dead`)))).code).toBe('ECONNRESET')
    await http.request(kept(url))
    expect(connections()).toBe(2)
    http.disconnect()
  })

  it('does not keep the process alive', async () => {
    const {url} = await serveCounting(ok)
    const program = `
      import {openRealMachine} from ${JSON.stringify(new URL('../../../src/machine/real/index.ts', import.meta.url).href)}
      const {http} = openRealMachine({environment: {}})
      const request = {deadlineMs: 20_000, effect: 'read', isKept: true, method: 'GET', tls: {ca: process.env.CA}, url: ${JSON.stringify(url)}}
      process.stdout.write(String((await http.request(request)).status))`
    const root = fileURLToPath(new URL('../../..', import.meta.url))
    const args = ['--import', 'tsx', '--input-type=module', '-e', program]
    const before = performance.now()
    const {stdout} = await promisify(execFile)(process.execPath, args, {
      cwd: root,
      env: {...process.env, CA: ca},
      timeout: 60_000,
    })
    expect(stdout).toBe('200')
    // It would stay for the 30 s that a connection is kept.
    expect(performance.now() - before).toBeLessThan(29_000)
  }, 90_000)
})

describe('review J4: an answer of an API server', () => {
  const large = JSON.stringify({items: Array.from({length: 5000}, (_, index) => ({name: `node-${index}`}))})
  const packed =
    (bytes: Buffer): RequestListener =>
    (request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      expect(request.headers['user-agent']).toBe(`k8s-win/${packageDocument.version}`)
      response.writeHead(200, {'content-encoding': 'gzip'}).end(bytes)
    }

  it('comes compressed', async () => {
    const {connections, url} = await serveCounting(packed(gzipSync(large)))
    const http = machine()
    for (let count = 0; count < 3; count++) expect((await http.request(kept(url))).body.toString()).toBe(large)
    expect(connections()).toBe(1)
    http.disconnect()
  })

  it('has its limit after it was decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    expect(bomb.length).toBeLessThan(100_000)
    const {url} = await serveCounting(packed(bomb))
    expect((await failure(machine().request(kept(url, {maxBytes: 1_000_000})))).code).toBe('TOO_LARGE')
  })

  it.each([
    ['cut short', gzipSync(large).subarray(0, 200)],
    ['not compressed at all', Buffer.from('plain')],
  ])('that is %s is incomplete', async (_, bytes) => {
    const {url} = await serveCounting(packed(bytes))
    expect((await failure(machine().request(kept(url)))).code).toBe('TRUNCATED')
  })
})
