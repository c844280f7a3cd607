// What a node costs its API server: the requests, connections and bytes of a join, of the same command again, of status and
// of doctor. The cluster is simulated; its answers come over real TLS on loopback, compressed as kube-apiserver does it, to
// the real HTTP client. Ends with 1 where a join or status needs more than it should.
import {createHash, X509Certificate} from 'node:crypto'
import {mkdtempSync, rmSync} from 'node:fs'
import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {gzipSync} from 'node:zlib'
import type {HttpResponse} from '../src/machine/http.js'
import type {Machine} from '../src/machine/machine.js'
import {openAssets} from '../src/machine/real/assets.js'
import {openRealMachine} from '../src/machine/real/index.js'
import {createRedactor} from '../src/output/text/redact.js'
import {EventBus} from '../src/pipeline/run/events.js'
import {runDoctor} from '../src/runs/doctor/doctor.js'
import {runSetup} from '../src/runs/setup/setup.js'
import {runStatus} from '../src/runs/status/status.js'
import type {SimulatedClock} from '../src/simulator/clock.js'
import {CLUSTER_CA} from '../src/simulator/cluster/certificates.js'
import {openSimulator} from '../src/simulator/simulator.js'
import {SERVER_CERTIFICATE} from '../test/lab/world/server-certificate.js'

const PROFILE = 'ws2022-containerd'
const SERVER = 'https://10.0.0.10:6443'
const AIMS: Readonly<Record<string, {connections: number; requests: number}>> = {
  join: {connections: 8, requests: 45},
  status: {connections: 4, requests: 12},
}
/** kube-apiserver compresses larger answers only (apiserver, writers.go, defaultGzipThresholdBytes). */
const COMPRESSED_FROM = 128 * 1024
const ANSWER = 'x-bench-answer'

const counted = {bytes: 0, connections: 0, requests: 0}
const answers = new Map<string, HttpResponse>()
const server = createServer(
  {...SERVER_CERTIFICATE, rejectUnauthorized: false, requestCert: true},
  (request, response) => {
    const {body, headers, status} = answers.get(String(request.headers[ANSWER])) ?? {
      body: Buffer.alloc(0),
      headers: {},
      status: 500,
    }
    const isPacked = body.length > COMPRESSED_FROM && request.headers['accept-encoding'] === 'gzip'
    const sent = isPacked ? gzipSync(body) : body
    counted.requests += 1
    counted.bytes += sent.length
    request.resume()
    response.writeHead(status, {...headers, ...(isPacked && {'content-encoding': 'gzip'})}).end(sent)
  },
)
server.on('secureConnection', () => (counted.connections += 1))
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
const {port} = server.address() as AddressInfo

/** The simulated cluster answers, and the answer is fetched by the real client while simulated time stands still. */
function overTls(simulated: Machine): Machine {
  const {http} = openRealMachine({environment: {}})
  const clock = simulated.clock as SimulatedClock
  return {
    ...simulated,
    http: {
      ...simulated.http,
      disconnect() {
        simulated.http.disconnect()
        http.disconnect()
      },
      async request(request) {
        const answer = await simulated.http.request(request)
        if (!request.url.startsWith(SERVER)) return answer
        const id = String(answers.size)
        answers.set(id, answer)
        const {body, headers, status} = await clock.whileBusy(() =>
          http.request({
            ...request,
            headers: {...request.headers, [ANSWER]: id},
            tls: {serverName: '10.0.0.10', ...request.tls},
            url: request.url.replace(SERVER, `https://127.0.0.1:${port}`),
          }),
        )
        return {...answer, body, headers, status}
      },
    },
  }
}

const dir = mkdtempSync(join(tmpdir(), 'k8s-win-bench-'))
const assets = openAssets(fileURLToPath(new URL('..', import.meta.url)))
const key = new X509Certificate(CLUSTER_CA).publicKey.export({format: 'der', type: 'spki'})
const given = {
  'base-images': 'none',
  'ca-cert-hash': [`sha256:${createHash('sha256').update(key).digest('hex')}`],
  server: SERVER,
  token: 'abcdef.0123456789abcdef',
}
const shared = {assets, environment: {}, redactor: createRedactor(), signal: new AbortController().signal}
const typed = (name: string): string => `k8s-win ${name}`
const setup = async (machine: Machine): Promise<number> =>
  (await runSetup({...shared, bus: new EventBus(() => machine.clock.now()), given, machine})).exitCode
const COMMANDS: readonly (readonly [name: string, run: (machine: Machine) => Promise<number>])[] = [
  ['join', setup],
  ['join, no-op', setup],
  ['status', async (machine) => (await runStatus({...shared, machine, typed})).exitCode],
  ['doctor', async (machine) => (await runDoctor({...shared, given: {}, machine, typed})).exitCode],
]

try {
  await openSimulator({dir, profile: PROFILE})
  rmSync(join(dir, 'c', 'k', 'kubeconfig'))
  for (const [name, run] of COMMANDS) {
    Object.assign(counted, {bytes: 0, connections: 0, requests: 0})
    const exitCode = await run(
      overTls(await openSimulator({dir, profile: PROFILE, readOnly: !name.startsWith('join')})),
    )
    const {bytes, connections, requests} = counted
    const aim = AIMS[name]
    const isKept = !aim || (requests <= aim.requests && connections <= aim.connections)
    const wanted = aim ? `  (at most ${aim.requests} on ${aim.connections}${isKept ? '' : ': MISSED'})` : ''
    console.log(
      `${name.padEnd(12)} ${String(requests).padStart(4)} requests on ${String(connections).padStart(2)} connections, ${(bytes / 1024).toFixed(0).padStart(4)} KiB${wanted}`,
    )
    if (!isKept || (exitCode !== 0 && name !== 'doctor')) process.exitCode = 1
  }
} finally {
  server.closeAllConnections()
  server.close()
  rmSync(dir, {force: true, recursive: true})
}
