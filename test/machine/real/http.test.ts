import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {inspect} from 'node:util'
import {describe, expect, it} from 'vitest'
import {DeadlineError} from '../../../src/machine/clock.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {failure, get} from './requests.js'
import {scratchFolder} from './scratch.js'
import {certificate, listening, serve, serveSecurely} from './servers.js'

const {http} = openRealMachine({environment: {}})
const ca = certificate('ca.pem')

describe('an answer', () => {
  it.each([200, 204, 404, 500, 503])('with status %i is an answer', async (status) => {
    const url = await serve((_, response) =>
      response.writeHead(status, {'x-a': 'b'}).end(status === 204 ? undefined : 'body'),
    )
    const answer = await http.request(get(url))
    expect(answer.status).toBe(status)
    expect(answer.headers['x-a']).toBe('b')
    expect(answer.body.toString()).toBe(status === 204 ? '' : 'body')
  })

  it('is never asked for twice', async () => {
    let asked = 0
    const url = await serve((_, response) => {
      asked++
      response.writeHead(503, {'retry-after': '0'}).end()
    })
    await http.request(get(url))
    expect(asked).toBe(1)
  })

  it('is not decompressed, and compression is not asked for', async () => {
    let accepted: string | undefined = 'unset'
    const url = await serve((request, response) => {
      accepted = request.headers['accept-encoding']
      response.writeHead(200, {'content-encoding': 'gzip'}).end('not really gzip')
    })
    expect((await http.request(get(url))).body.toString()).toBe('not really gzip')
    expect(accepted).toBeUndefined()
  })
})

describe('a request', () => {
  async function echo(): Promise<string> {
    return serve((request, response) => {
      const {headers, method} = request
      void text(request).then((body) => response.end(JSON.stringify({body, headers, method})))
    })
  }

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s without a body ends', async (method) => {
    const answer = await http.request(get(await echo(), {method}))
    expect(JSON.parse(answer.body.toString())).toMatchObject({body: '', method})
  })

  it('sends text, bytes and pieces', async () => {
    const url = await echo()
    async function* pieces() {
      yield Buffer.from('in ')
      yield Buffer.from('pieces')
    }
    for (const [body, sent] of [
      ['text', 'text'],
      [new Uint8Array([0x61, 0x62]), 'ab'],
      [pieces(), 'in pieces'],
    ] as const) {
      const answer = await http.request(get(url, {body, headers: {'x-token': 't'}, method: 'POST'}))
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        body: sent,
        headers: {'x-token': 't'},
      })
    }
  })

  it('goes through a socket in the file system, as Docker has one', async () => {
    const pipe = join(await scratchFolder(), 'engine.sock')
    await listening(
      createServer((request, response) => response.end(`${request.method} ${request.url} of ${request.headers.host}`)),
      pipe,
    )
    const answer = await http.request(get('http://docker/v1.41/images/create?fromImage=a', {method: 'POST', pipe}))
    expect(answer.body.toString()).toBe('POST /v1.41/images/create?fromImage=a of docker')
  })

  it('through a socket that is not there fails with ENOENT', async () => {
    const pipe = join(await scratchFolder(), 'none.sock')
    expect((await failure(http.request(get('http://docker/version', {pipe})))).code).toBe('ENOENT')
  })
})

describe('TLS', () => {
  it('refuses a server whose authority is unknown', async () => {
    const url = await serveSecurely((_, response) => response.end('x'))
    expect((await failure(http.request(get(url)))).code).toBe('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
  })

  it('accepts the authority it is given', async () => {
    const url = await serveSecurely((_, response) => response.end('x'))
    expect((await http.request(get(url, {tls: {ca}}))).body.toString()).toBe('x')
  })

  it('checks the name', async () => {
    const url = await serveSecurely((_, response) => response.end('x'))
    expect((await http.request(get(url, {tls: {ca, serverName: 'server.test'}}))).status).toBe(200)
    const {code} = await failure(http.request(get(url, {tls: {ca, serverName: 'other.test'}})))
    expect(code).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  it('shows a client certificate', async () => {
    const url = await serveSecurely((_, response) => response.end('let in'), {
      ca,
      rejectUnauthorized: true,
      requestCert: true,
    })
    const tls = {ca, cert: certificate('client.pem'), key: certificate('client.key')}
    expect((await http.request(get(url, {tls}))).body.toString()).toBe('let in')
    await failure(http.request(get(url, {tls: {ca}})))
  })
})

describe('what prevents an answer', () => {
  it('is reported by its code', async () => {
    const taken = await serve(() => undefined)
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const {port} = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    expect(taken).not.toContain(String(port))
    expect((await failure(http.request(get(`http://127.0.0.1:${port}/`)))).code).toBe('ECONNREFUSED')
  })

  it('may be a URL that is none', async () => {
    const {code, message} = await failure(http.request(get('http://user:hunter2@:bad:/')))
    expect(code).toBe('ERR_INVALID_URL')
    expect(message).not.toContain('hunter2')
  })

  it('never shows credentials', async () => {
    const url = await serve((request) => request.socket.destroy())
    const secret = url.replace('http://', 'http://user:hunter2@')
    const error = await failure(
      http.request(get(`${secret}/x?token=abc&a=1`, {headers: {authorization: 'Bearer zzz'}})),
    )
    expect(inspect(error, {depth: 9})).not.toMatch(/hunter2|abc|zzz/u)
    expect(error.url).toContain('/x?token=***&a=1')
  })

  it('may be a connection that breaks before or in the answer', async () => {
    const before = await serve((request) => request.socket.destroy())
    expect((await failure(http.request(get(before)))).code).toBe('ECONNRESET')
    const short = await serve((request, response) => {
      response.writeHead(200, {'content-length': '10'})
      response.write('short', () => request.socket.destroy())
    })
    expect((await failure(http.request(get(short)))).code).toBe('TRUNCATED')
    const chunked = await serve((request, response) => {
      response.write('chunk', () => request.socket.destroy())
    })
    expect((await failure(http.request(get(chunked)))).code).toBe('TRUNCATED')
  })

  it('may be the deadline, before the answer and in it', async () => {
    const silent = await serve(() => undefined)
    const error = await failure(http.request(get(silent, {deadlineMs: 30})))
    expect(error.code).toBe('ETIMEDOUT')
    expect(error.cause).toBeInstanceOf(DeadlineError)
    const endless = await serve((_, response) => void response.write('a'))
    expect((await failure(http.request(get(endless, {deadlineMs: 30})))).code).toBe('ETIMEDOUT')
  })

  it('may be the caller, whose reason it then is', async () => {
    const reason = new Error('interrupted')
    const silent = await serve(() => undefined)
    const controller = new AbortController()
    const pending = http.request(get(silent, {signal: controller.signal}))
    controller.abort(reason)
    await expect(pending).rejects.toBe(reason)
    await expect(http.request(get(silent, {signal: controller.signal}))).rejects.toBe(reason)
  })
})
