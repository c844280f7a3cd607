// Loopback servers for the HTTP tests. Each closes with its test.
import {readFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {RequestListener, Server} from 'node:http'
import {createServer as createSecureServer} from 'node:https'
import type {ServerOptions} from 'node:https'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'

export function certificate(name: string): string {
  return readFileSync(new URL(`../certificates/${name}`, import.meta.url), 'utf8')
}

export async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(listener))}`
}

export async function serveSecurely(listener: RequestListener, options: ServerOptions = {}): Promise<string> {
  const identity = {cert: certificate('server.pem'), key: certificate('server.key')}
  return `https://127.0.0.1:${await listening(createSecureServer({...identity, ...options}, listener))}`
}

export async function listening(server: Server, socketPath?: string): Promise<number> {
  await new Promise<void>((resolve) => {
    if (socketPath === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(socketPath, resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return socketPath === undefined ? (server.address() as AddressInfo).port : 0
}
