// Connections whose other end is judged before they are used.
import {once} from 'node:events'
import {createServer, type Server} from 'node:net'
import {afterEach, expect, test} from 'vitest'
import {judgedAgent} from '../../../src/machine/real/judged-connection.js'
import {openNet} from '../../../src/machine/real/net.js'
import {request} from 'node:http'

let server: Server | undefined
afterEach(() => void server?.close())

async function listening(): Promise<number> {
  server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as {port: number}).port
}

test('a peer that closes while it is judged, and is refused then, ends the request at once', async () => {
  const port = await listening()
  let closed: Promise<unknown> | undefined
  const agent = judgedAgent(async () => {
    await closed
    throw new Error('not the daemon')
  })
  const asked = request({agent, host: '127.0.0.1', port})
  server?.once('connection', (socket) => void (closed = once(socket, 'close')))
  asked.end()
  const [error] = (await once(asked, 'error')) as [Error]
  expect(error.message).toBe('not the daemon')
})

test('a connection that is open is judged to the end, however short the time was to connect', async () => {
  const port = await listening()
  const deadlineMs = 50
  const judge = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 2 * deadlineMs))
  expect(await openNet().canConnect('127.0.0.1', port, deadlineMs, judge)).toBe(true)
})
