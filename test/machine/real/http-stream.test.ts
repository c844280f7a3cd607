import {createServer} from 'node:http'
import {describe, expect, it} from 'vitest'
import {DeadlineError} from '../../../src/machine/clock.js'
import {openHttp} from '../../../src/machine/real/http.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {failure, get} from './requests.js'
import {listening, serve} from './servers.js'

const machine = openRealMachine({environment: {}})

describe('a stream', () => {
  it('gives the pieces as they come', async () => {
    let more: () => void = () => undefined
    const url = await serve((_, response) => {
      response.write('first')
      more = () => response.end('second')
    })
    const {chunks, status} = await machine.http.stream(get(url))
    expect(status).toBe(200)
    const seen: string[] = []
    for await (const chunk of chunks) {
      seen.push(Buffer.from(chunk).toString())
      more()
    }
    expect(seen).toEqual(['first', 'second'])
  })

  it('closes the connection when the consumer stops', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const url = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.once('close', resolve))
      response.write('first')
    })
    const {chunks} = await machine.http.stream(get(url))
    for await (const chunk of chunks) {
      expect(Buffer.from(chunk).toString()).toBe('first')
      break
    }
    await closed
  })

  it('closes the connection at the deadline, also if nothing reads', async () => {
    const deadline = new AbortController()
    const clock = {...machine.clock, deadline: () => ({cancel: () => undefined, signal: deadline.signal})}
    let closed: Promise<unknown> = Promise.resolve()
    const url = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.once('close', resolve))
      response.write('first')
    })
    const {chunks} = await openHttp({clock, environment: {}, files: machine.files}).stream(get(url))
    deadline.abort(new DeadlineError(40))
    await closed
    expect((await failure(drain(chunks))).code).toBe('ETIMEDOUT')
  })
})

it('leaves no connection behind', async () => {
  let [made, open] = [0, 0]
  const server = createServer((_, response) => response.end('x'))
  server.on('connection', (socket) => {
    made++
    open++
    socket.once('close', () => open--)
  })
  const port = await listening(server)
  await Promise.all(Array.from({length: 20}, () => machine.http.request(get(`http://127.0.0.1:${port}/`))))
  while (open > 0) await machine.clock.sleep(5)
  expect(made).toBe(20)
})

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) expect(chunk.length).toBeGreaterThan(0)
}
