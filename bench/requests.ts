// What a node costs its API server: the requests, connections and bytes of a join, of the same command again, of a setup with
// a kubeconfig, of status, of doctor and of a healthy day; and its deliveries: changes of its Node, each of which is sent to
// every flanneld of the cluster. The cluster is simulated and has 100 nodes; its answers come over real TLS on loopback (those
// of the day do not), compressed as kube-apiserver does it, to the real HTTP client. Ends with 1 where an aim is missed.
import {createHash, X509Certificate} from 'node:crypto'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {gzipSync} from 'node:zlib'
import type {GivenOptions} from '../src/config/options/options.js'
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
import {makeCluster} from '../src/simulator/profiles/cluster.js'
import {openSimulator} from '../src/simulator/simulator.js'
import type {World} from '../src/simulator/world.js'
import {SERVER_CERTIFICATE} from '../test/lab/world/server-certificate.js'
import {publishing} from '../test/runs/watch/publish-rig.js'

const PROFILE = 'ws2022-containerd'
const SERVER = 'https://10.0.0.10:6443'
const NODES = 100
const DAY_MS = 24 * 3_600_000
/** The clusters: the newest that the profile's nodes are for, and the newest that a node is accepted for. */
const VERSIONS = [undefined, 'v1.37.0'] as const

interface Cost {
  readonly connections?: number
  readonly deliveries: number
  readonly kib: number
  readonly requests: number
}

const AIMS: Readonly<Record<string, Cost>> = {
  join: {connections: 8, deliveries: 0, kib: 120, requests: 45},
  setup: {connections: 8, deliveries: 0, kib: 130, requests: 48},
  status: {connections: 4, deliveries: 0, kib: 80, requests: 12},
  'healthy day': {deliveries: 9, kib: 600, requests: 330},
}
/** kube-apiserver compresses larger answers only (apiserver, writers.go, defaultGzipThresholdBytes). */
const COMPRESSED_FROM = 128 * 1024
const ANSWER = 'x-bench-answer'
const NODE = /\/api\/v1\/nodes\b/

const NOTHING = {bytes: 0, connections: 0, deliveries: 0, requests: 0}
const counted = {...NOTHING}
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
        if (request.effect === 'change' && NODE.test(request.url)) counted.deliveries += 1
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

const assets = openAssets(fileURLToPath(new URL('..', import.meta.url)))
const key = new X509Certificate(CLUSTER_CA).publicKey.export({format: 'der', type: 'spki'})
const token = {
  'ca-cert-hash': [`sha256:${createHash('sha256').update(key).digest('hex')}`],
  server: SERVER,
  token: 'abcdef.0123456789abcdef',
}
const shared = {assets, environment: {}, redactor: createRedactor(), signal: new AbortController().signal}
const typed = (name: string): string => `k8s-win ${name}`
type Command = (machine: Machine) => Promise<number>
const setup =
  (more: GivenOptions): Command =>
  async (machine) => {
    const given = {'base-images': 'none', ...more}
    return (await runSetup({...shared, bus: new EventBus(() => machine.clock.now()), given, machine})).exitCode
  }
const status: Command = async (machine) => (await runStatus({...shared, machine, typed})).exitCode
const doctor: Command = async (machine) => (await runDoctor({...shared, given: {}, machine, typed})).exitCode
const HOSTS: readonly (readonly [name: string, command: Command])[][] = [
  [
    ['join', setup(token)],
    ['join, again', setup(token)],
    ['status', status],
    ['doctor', doctor],
  ],
  [
    ['setup', setup({})],
    ['setup, again', setup({})],
  ],
]

/** A cluster of this version with many nodes. A join has no kubeconfig yet. */
async function makeHost(dir: string, version: string | undefined, isJoin: boolean): Promise<void> {
  await openSimulator({dir, profile: PROFILE})
  const path = join(dir, 'machine.json')
  const world = JSON.parse(readFileSync(path, 'utf8')) as World
  if (version !== undefined) world.cluster = makeCluster(version)
  const [model] = world.cluster.nodes.slice(-1)
  if (!model) throw new Error('the simulated cluster has no node')
  for (let at = world.cluster.nodes.length; at < NODES; at++) {
    const more = structuredClone(model)
    const address = `10.0.1.${at}`
    const isAddress = {...more.annotations, 'flannel.alpha.coreos.com/public-ip': address}
    const addresses = [{address, type: 'InternalIP'}]
    Object.assign(more, {addresses, annotations: isAddress, name: `linux-${at}`, podCIDR: `10.244.${at}.0/24`})
    world.cluster.nodes.push(more)
  }
  writeFileSync(path, JSON.stringify(world))
  if (isJoin) rmSync(join(dir, 'c', 'k', 'kubeconfig'))
}

function print(title: string, name: string, {connections, deliveries, kib, requests}: Cost): void {
  const aim = AIMS[name]
  const isKept =
    !aim ||
    (requests <= aim.requests &&
      kib <= aim.kib &&
      deliveries <= aim.deliveries &&
      (connections ?? 0) <= (aim.connections ?? 0))
  const most = aim && [
    aim.requests,
    ...(aim.connections === undefined ? [] : [aim.connections]),
    aim.kib,
    aim.deliveries,
  ]
  console.log(
    `${title.padEnd(20)} ${String(requests).padStart(4)} requests on ${String(connections ?? '-').padStart(2)} connections, ${kib.toFixed(0).padStart(4)} KiB, ${deliveries} to each flanneld${most ? `  (at most ${most.join(', ')}${isKept ? '' : ': MISSED'})` : ''}`,
  )
  if (!isKept) process.exitCode = 1
}

try {
  for (const version of VERSIONS) {
    for (const commands of HOSTS) {
      const dir = mkdtempSync(join(tmpdir(), 'k8s-win-bench-'))
      await makeHost(dir, version, commands[0]?.[0] === 'join')
      for (const [name, run] of commands) {
        Object.assign(counted, NOTHING)
        const readOnly = !/^(?:join|setup)/.test(name)
        const exitCode = await run(overTls(await openSimulator({dir, profile: PROFILE, readOnly})))
        print(`${name}${version === undefined ? '' : `, ${version}`}`, name, {...counted, kib: counted.bytes / 1024})
        if (exitCode !== 0 && name !== 'doctor') process.exitCode = 1
      }
      rmSync(dir, {force: true, recursive: true})
    }
  }
  const day = publishing()
  await day.rounds(DAY_MS)
  print('healthy day', 'healthy day', {
    deliveries: day.what().filter((what) => what.startsWith('PATCH')).length,
    kib: day.requests.reduce((sum, {bytes}) => sum + bytes, 0) / 1024,
    requests: day.requests.length,
  })
} finally {
  server.closeAllConnections()
  server.close()
}
