// NOT THE ENGINE'S OWN WORDS: a socket in front of the real engine that answers /version and /info otherwise, so that
// it looks older, newer or like one with Windows containers. Everything else passes as it is.
import {createServer, type IncomingMessage, request, type ServerResponse} from 'node:http'

export interface Disguise {
  readonly apiVersion?: string
  readonly minApiVersion?: string
  readonly os?: 'windows'
}

export interface EngineProxy {
  close(): Promise<void>
  readonly socket: string
  /** The API versions that requests named, each once. */
  spoken(): string[]
}

const REAL_API = '1.41'

export async function startEngineProxy(engine: string, socket: string, disguise: Disguise): Promise<EngineProxy> {
  const spoken = new Set<string>()
  const server = createServer((incoming, outgoing) => {
    const [, version, path = ''] = /^(?:\/v(\d+\.\d+))?(\/.*)$/u.exec(incoming.url ?? '') ?? []
    if (version !== undefined) spoken.add(version)
    // An engine that is newer in disguise only cannot speak the newer version.
    const prefix = version === undefined ? '' : `/v${isNewer(version) ? REAL_API : version}`
    void forward(incoming, outgoing, engine, prefix + path).then(
      (answer) => pass(answer, outgoing, path, disguise),
      (error: unknown) => {
        process.stderr.write(`the engine behind the proxy: ${incoming.method} ${path}: ${String(error)}\n`)
        outgoing.destroy()
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    socket,
    spoken: () => [...spoken],
  }
}

/** Some connections are closed by the engine before it answers, beside other suites: such a one is opened once more. */
const TRIES = 2

async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  engine: string,
  path: string,
): Promise<IncomingMessage> {
  const {headers, method} = incoming
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  for (let tries = 1; ; tries++) {
    try {
      return await new Promise((resolve, reject) => {
        // A connection of its own each: a kept one may be closed by the engine at the moment it is used.
        const onward = request({agent: false, headers, method, path, socketPath: engine}, resolve)
        onward.on('error', reject)
        outgoing.once('close', () => onward.destroy())
        onward.end(Buffer.concat(pieces))
      })
    } catch (error) {
      if (tries === TRIES || outgoing.destroyed) throw error
    }
  }
}

async function pass(answer: IncomingMessage, to: ServerResponse, path: string, disguise: Disguise): Promise<void> {
  if (path !== '/version' && path !== '/info') {
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', () => to.destroy())
    return void answer.pipe(to)
  }

  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  const truth = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>
  const {apiVersion, minApiVersion, os} = disguise
  const version = {
    ...(apiVersion && {ApiVersion: apiVersion}),
    ...(minApiVersion && {MinAPIVersion: minApiVersion}),
    ...(os && {Os: os}),
  }
  const body = JSON.stringify({...truth, ...(path === '/version' ? version : {...(os && {OSType: os})})})
  to.writeHead(200, {'content-type': 'application/json'}).end(body)
}

const isNewer = (version: string): boolean => Number(version.split('.')[1]) > Number(REAL_API.split('.')[1])
