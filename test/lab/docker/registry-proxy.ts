// Stands between the engine and the registry, and breaks what it is asked to: the registry itself never fails on demand.
import {createServer, request, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'

/**
 * What becomes of the blobs of layers. `cut`: half of it comes, each time; `cut-once`: only the first time;
 * `corrupt`: the length is right, the bytes are not; `short`: half of it comes, and nothing of the rest, however often it
 * is asked for; `silent`: half of it comes, and then nothing.
 */
export type RegistryFault = 'corrupt' | 'cut' | 'cut-once' | 'short' | 'silent'

export interface RegistryProxy {
  /** "127.0.0.1:<port>". */
  readonly address: string
  close(): Promise<void>
  /** Applies to layers that are larger than this: the configuration of an image is a blob, too. */
  breakLayers(fault: RegistryFault | undefined): void
  /** Resolves when the next layer was asked for, and as much of it as comes was sent. */
  nextLayer(): Promise<void>
}

const LARGE = 100_000

export async function startRegistryProxy(registry: string): Promise<RegistryProxy> {
  let fault: RegistryFault | undefined
  let cuts = 0
  let asked: (() => void)[] = []
  const server = createServer((incoming, outgoing) => {
    const {headers, method, url} = incoming
    const onward = request(`http://${registry}${url}`, {agent: false, headers, method}, (answer) => {
      const isLayer = /\/blobs\//u.test(url ?? '') && Number(answer.headers['content-length']) > LARGE
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (!isLayer || method !== 'GET') return void answer.pipe(outgoing)
      if (fault === 'short' && headers.range !== undefined) return void outgoing.destroy()
      const now = fault === 'cut-once' && cuts++ > 0 ? undefined : fault
      void send(answer, outgoing, now).then(() => {
        for (const resolve of asked) resolve()
        asked = []
      })
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakLayers(next) {
      fault = next
      cuts = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    nextLayer: () => new Promise((resolve) => asked.push(resolve)),
  }
}

async function send(answer: IncomingMessage, to: ServerResponse, fault: RegistryFault | undefined): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  const whole = Buffer.concat(pieces)
  const half = whole.subarray(0, whole.length / 2)
  if (fault === undefined) to.end(whole)
  else if (fault === 'corrupt')
    to.end(Buffer.from(whole.map((byte, at) => (at === whole.length - 9 ? byte ^ 1 : byte))))
  else if (fault === 'silent') to.write(half)
  else to.write(half, () => to.destroy())
}
