import type {RequestListener} from 'node:http'
import {describe, expect, it} from 'vitest'
import type {HttpRequest} from '../../../src/machine/http.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {certificate, serve, serveSecurely} from './servers.js'

const {http} = openRealMachine({environment: {}})
const tls = {ca: certificate('ca.pem')}

function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return {deadlineMs: 5000, effect: 'read', method: 'GET', tls, url, ...more}
}

function to(location: string, status = 302): RequestListener {
  return (_, response) => response.writeHead(status, {location}).end('moved')
}

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%i is followed, also to a relative place', async (status) => {
    const url = await serve((request, response) => {
      if (request.url === '/there') response.end('arrived')
      else to('/there', status)(request, response)
    })
    expect((await http.request(get(url))).body.toString()).toBe('arrived')
  })

  it('are followed from http to https', async () => {
    const secure = await serveSecurely((_, response) => response.end('secure'))
    expect((await http.request(get(await serve(to(secure))))).body.toString()).toBe('secure')
  })

  it('are never followed from https to http, and the plain server is not asked', async () => {
    let asked = 0
    const plain = await serve((_, response) => {
      asked++
      response.end()
    })
    const secure = await serveSecurely(to(plain))
    await expect(http.request(get(secure))).rejects.toMatchObject({code: 'INSECURE_REDIRECT', name: 'HttpError'})
    expect(asked).toBe(0)
  })

  it('to another kind of address are refused', async () => {
    await expect(http.request(get(await serve(to('file:///etc/hosts'))))).rejects.toMatchObject({
      code: 'INSECURE_REDIRECT',
    })
  })

  it('end after five', async () => {
    let asked = 0
    const url = await serve((request, response) => {
      asked++
      to(`/${asked}`)(request, response)
    })
    await expect(http.request(get(url))).rejects.toMatchObject({code: 'TOO_MANY_REDIRECTS'})
    expect(asked).toBe(6)
  })

  it('are an answer for a request that changes something or has a body', async () => {
    const url = await serve(to('/there'))
    for (const more of [{method: 'POST'}, {method: 'DELETE'}, {body: 'x', method: 'PUT'}] as const) {
      const answer = await http.request(get(url, more))
      expect([answer.status, answer.headers['location']]).toEqual([302, '/there'])
    }
  })

  it('take the authorization along to the same place only', async () => {
    const seen: (string | undefined)[] = []
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-kept'] as string)
      response.end()
    })
    const first = await serve((request, response) => {
      seen.push(request.headers.authorization)
      to(request.url === '/' ? '/again' : other)(request, response)
    })
    await http.request(get(first, {headers: {Authorization: 'Bearer t', 'x-kept': 'k'}}))
    expect(seen).toEqual(['Bearer t', 'Bearer t', undefined, 'k'])
  })
})

it.each([
  ['to a port where nothing is listening', 'http://127.0.0.1:1/'],
  ['that is not secure', 'ftp://127.0.0.1/'],
])('review A3-10: the error of a redirect of 15 KB %s is short', async (_, place) => {
  const url = await serve(to(`${place}${'x'.repeat(14_000)}`))
  const error = await http.request(get(url)).catch((one: unknown) => one)
  expect(error).toMatchObject({name: 'HttpError'})
  expect((error as Error).message.length).toBeLessThan(1000)
})
