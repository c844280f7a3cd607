// The download hosts, behind a proxy: whoever asks it for a tunnel to one of them gets our own TLS server, with a
// certificate for that name, so that the program asks for the true addresses.
import {createReadStream, existsSync, readFileSync, statSync} from 'node:fs'
import {createServer} from 'node:http'
import {createServer as createSecureServer} from 'node:https'
import path from 'node:path'
import {stableOf} from '../../../src/simulator/mirror/mirror.js'
import type {Stage} from '../../../src/simulator/model.js'
import {SERVER_CERTIFICATE} from './server-certificate.js'

export const PROXY_PORT = 3128
const INDEX = 'index.json'

/** `folder` has the files, and index.json, which says which URL is which of them. */
export async function openMirrorDoor(stage: Stage, folder: string): Promise<void> {
  const isCut = (): boolean => stage.world.os.offlineUntil > stage.now()
  const hosts = createSecureServer(SERVER_CERTIFICATE, (request, response) => {
    const index = JSON.parse(readFileSync(path.join(folder, INDEX), 'utf8')) as Record<string, string>
    const url = `https://${request.headers.host ?? ''}${request.url ?? ''}`
    const name = index[url]
    const file = path.join(folder, name ?? '')
    if (isCut()) return void request.socket.destroy()
    const stable = stableOf(url)
    if (stable !== undefined) return void response.writeHead(200, {'content-length': stable.length}).end(stable)
    if (name === undefined || !existsSync(file)) return void response.writeHead(404).end('Not Found')
    // The client hangs up, not we: what Wine still has to send when a server closes may be lost.
    response.writeHead(200, {connection: 'keep-alive', 'content-length': statSync(file).size})
    createReadStream(file).pipe(response)
  })
  const proxy = createServer((_request, response) => response.writeHead(405).end())
  proxy.on('connect', (_request, socket) => {
    if (isCut()) return void socket.destroy()
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    hosts.emit('connection', socket)
  })
  await new Promise<void>((resolve, reject) => proxy.once('error', reject).listen(PROXY_PORT, '127.0.0.1', resolve))
}
