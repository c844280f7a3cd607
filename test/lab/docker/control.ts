// Lets a suite on another system use the real lab: its wishes as HTTP requests, and the engine behind a TCP port.
import {createServer as createHttpServer, type IncomingMessage} from 'node:http'
import {type AddressInfo, connect, createServer, type Server} from 'node:net'
import {join} from './join.js'
import type {DockerLab, DockerRig, Surroundings} from './rig.js'

/** What POST /open answers. */
export interface OpenedRig extends Pick<DockerRig, 'images'> {
  /** Of the engine, on loopback. */
  readonly port: number
}

export interface Control {
  close(): Promise<void>
  readonly port: number
}

/** POST /open {surroundings}, /stop {how}, /start, /close: one rig at a time. */
export async function startControl(lab: DockerLab): Promise<Control> {
  let rig: DockerRig | undefined
  let relay: Server | undefined
  const close = async (): Promise<void> => {
    relay?.close()
    await rig?.close()
    rig = undefined
  }

  const answer = async (path: string, body: string): Promise<unknown> => {
    if (path === '/open') {
      const opened = await lab.open(JSON.parse(body) as Surroundings)
      rig = opened
      relay = await startRelay(opened.pipe)
      return {images: opened.images, port: portOf(relay)} satisfies OpenedRig
    }

    if (path === '/close') return close()
    if (path === '/start') return rig?.startEngine()
    return rig?.stopEngine(body === 'crash' ? 'crash' : undefined)
  }

  const server = createHttpServer((request, response) => {
    void bodyOf(request)
      .then((body) => answer(request.url ?? '', body))
      .then(
        (value) => response.end(JSON.stringify(value ?? null)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    async close() {
      await close()
      server.closeAllConnections()
      server.close()
    },
    port: portOf(server),
  }
}

async function startRelay(socket: string): Promise<Server> {
  const server = createServer((near) => join(near, connect(socket)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const portOf = (server: {address(): unknown}): number => (server.address() as AddressInfo).port

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += (piece as Buffer).toString('utf8')
  return text
}
