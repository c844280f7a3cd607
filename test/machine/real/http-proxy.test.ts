import {createServer} from 'node:http'
import {connect} from 'node:net'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {exchange} from '../../../src/machine/real/http-exchange.js'
import {proxyFor} from '../../../src/machine/real/http-proxy.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {certificate, listening, serveSecurely} from './servers.js'

const proxy = {HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://plain:3128'}

function through(url: string, environment: NodeJS.ProcessEnv = proxy): string | undefined {
  return proxyFor(new URL(url), environment)?.href
}

describe('which proxy', () => {
  it('depends on the scheme', () => {
    expect(through('https://dl.k8s.io/a')).toBe('http://proxy:3128/')
    expect(through('http://dl.k8s.io/a')).toBe('http://plain:3128/')
    expect(through('https://dl.k8s.io/a', {})).toBeUndefined()
  })

  it('is read in either case, with or without a scheme', () => {
    expect(through('https://dl.k8s.io', {https_proxy: 'proxy:8080'})).toBe('http://proxy:8080/')
    expect(through('https://dl.k8s.io', {...proxy, no_proxy: 'k8s.io'})).toBeUndefined()
  })

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'a.localhost'])('is none for %s', (host) => {
    expect(through(`https://${host}:6443/`)).toBeUndefined()
  })

  it.each([
    ['*', 'https://a.b/', true],
    ['k8s.io', 'https://k8s.io/', true],
    ['k8s.io', 'https://dl.k8s.io/', true],
    ['.k8s.io', 'https://dl.k8s.io/', true],
    ['.k8s.io', 'https://k8s.io/', false],
    ['*.k8s.io', 'https://dl.k8s.io/', true],
    ['*.k8s.io:443', 'https://k8s.io/', false],
    ['a.b k8s.io', 'https://k8s.io/', false],
    ['10.0.0.1:443', 'https://10.0.0.1/', true],
    ['k8s.io', 'https://notk8s.io/', false],
    ['K8S.IO', 'https://dl.k8s.io/', true],
    ['k8s.io:443', 'https://dl.k8s.io/', true],
    ['k8s.io:8443', 'https://dl.k8s.io/', false],
    ['k8s.io:8443', 'https://dl.k8s.io:8443/', true],
    ['10.0.0.1', 'https://10.0.0.1/', true],
    ['10.0.0.1', 'https://10.0.0.12/', false],
    ['10.0.0.0/8', 'https://10.200.3.4:6443/', true],
    ['10.0.0.0/8', 'https://11.0.0.1/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['10.0.0.0/99', 'https://10.0.0.1/', false],
    ['a.b, 10.0.0.0/8 ,c.d', 'https://10.1.1.1/', true],
    ['', 'https://a.b/', false],
    [',,', 'https://a.b/', false],
  ])('NO_PROXY=%s, %s: straight is %s', (exceptions, url, straight) => {
    expect(through(url, {...proxy, NO_PROXY: exceptions}) === undefined).toBe(straight)
  })

  it.each(['socks5://user:hunter2@p:1', 'http://user:hunter2@:bad:', ':'])('%s is none', (value) => {
    const look = () => through('https://dl.k8s.io/', {HTTPS_PROXY: value})
    expect(look).toThrow(expect.objectContaining({code: 'INVALID_PROXY'}))
    expect(look).not.toThrow('hunter2')
  })

  it('never throws for any NO_PROXY', () => {
    fc.assert(
      fc.property(fc.string(), (exceptions) => {
        through('https://dl.k8s.io/', {...proxy, NO_PROXY: exceptions})
      }),
    )
  })
})

describe('a proxy', () => {
  const [ca, deadlineMs] = [certificate('ca.pem'), 5000]

  async function tunnel(status: number): Promise<{asked: string[]; environment: NodeJS.ProcessEnv}> {
    const asked: string[] = []
    const server = createServer()
    server.on('connect', (request, socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
      if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      // The name of the test's certificate does not resolve; the proxy knows where it is.
      const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        target.pipe(socket).pipe(target)
      })
      target.on('error', () => socket.destroy())
      socket.on('error', () => target.destroy())
    })
    const port = await listening(server)
    return {asked, environment: {HTTPS_PROXY: `http://user:hunter2@127.0.0.1:${port}`}}
  }

  async function target(): Promise<string> {
    const url = await serveSecurely((_, response) => response.end('through'))
    return url.replace('127.0.0.1', 'server.test')
  }

  it('carries an https request, with its credentials', async () => {
    const {asked, environment} = await tunnel(200)
    const {http} = openRealMachine({environment})
    const url = await target()
    const answer = await http.request({deadlineMs, effect: 'read', method: 'GET', tls: {ca}, url})
    expect(answer.body.toString()).toBe('through')
    const authorization = `Basic ${Buffer.from('user:hunter2').toString('base64')}`
    expect(asked).toEqual([`${new URL(url).host} ${authorization}`])
  })

  it("review K1: trusts the server's own certificate where that is the authority", async () => {
    const {environment} = await tunnel(200)
    const {http} = openRealMachine({environment})
    const request = {deadlineMs, effect: 'read', method: 'GET', url: await target()} as const
    expect((await http.request({...request, tls: {ca: certificate('server.pem')}})).status).toBe(200)
    const stranger = http.request({...request, tls: {ca: certificate('client.pem')}})
    await expect(stranger).rejects.toMatchObject({code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'})
  })

  it('still checks the certificate', async () => {
    const {environment} = await tunnel(200)
    const {http} = openRealMachine({environment})
    const asked = http.request({deadlineMs, effect: 'read', method: 'GET', url: await target()})
    await expect(asked).rejects.toMatchObject({code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'})
  })

  it.each([
    [407, 'PROXY_REFUSED'],
    [503, 'PROXY_UNABLE'],
  ])('that refuses with %d is named, without its credentials', async (status, code) => {
    const {environment} = await tunnel(status)
    const {http} = openRealMachine({environment})
    const asked = http.request({deadlineMs, effect: 'read', method: 'GET', tls: {ca}, url: await target()})
    const error = await asked.catch((reason: unknown) => reason)
    expect(error).toMatchObject({code, message: expect.stringContaining(`with ${status}`) as string})
    expect(String(error)).not.toContain('hunter2')
  })

  it('is not used where a request must not go through one', async () => {
    const {asked, environment} = await tunnel(200)
    const {http} = openRealMachine({environment})
    const direct = http.request({deadlineMs, effect: 'read', isDirect: true, method: 'GET', url: await target()})
    await expect(direct).rejects.toMatchObject({name: 'HttpError'})
    expect(asked).toEqual([])
  })

  it('is not used for a pipe', async () => {
    const {asked, environment} = await tunnel(200)
    const deadline = openRealMachine().clock.deadline(deadlineMs)
    const request = {deadline, method: 'GET', pipe: '/nowhere/engine.sock', url: 'http://docker/'} as const
    await expect(exchange(request, {...environment, HTTP_PROXY: environment['HTTPS_PROXY']})).rejects.toMatchObject({
      code: 'ENOENT',
    })
    deadline.cancel()
    expect(asked).toEqual([])
  })
})
