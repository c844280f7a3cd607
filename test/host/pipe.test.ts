// Whether a pipe is open, by the real HTTP client on a socket: whatever listens there, and whatever it speaks.
import {createServer} from 'node:http'
import {createServer as createHttp2Server} from 'node:http2'
import {createServer as createSocketServer, type Server} from 'node:net'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {isPipeOpen} from '../../src/host/pipe.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {only} from '../fakes/partial.js'
import {scratchFolder} from '../machine/real/scratch.js'
import type {Http} from '../../src/machine/http.js'

const {http} = openRealMachine({environment: {}})

async function socketOf(server: Server): Promise<string> {
  const path = join(await scratchFolder(), 'pipe')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => {
    server.close()
  })
  return path
}

test.each<[string, () => Server]>([
  ['HTTP, as Docker does', () => createServer((_, response) => response.writeHead(404).end())],
  ['HTTP/2, as containerd does', () => createHttp2Server()],
  ['something else', () => createSocketServer((socket) => socket.end('hello\n'))],
  ['nothing', () => createSocketServer((socket) => socket.destroy())],
])('open: what listens there speaks %s', async (_, server) => {
  expect(await isPipeOpen(http, await socketOf(server()))).toBe(true)
})

test('not open: there is none', async () => {
  expect(await isPipeOpen(http, join(await scratchFolder(), 'pipe'))).toBe(false)
})

test('a bug is not an answer', async () => {
  const broken = only<Http>('http', {request: () => Promise.reject(new TypeError('x is not a function'))})
  await expect(isPipeOpen(broken, 'pipe')).rejects.toThrow(TypeError)
})
