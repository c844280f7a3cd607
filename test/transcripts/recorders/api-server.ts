// A real kube-apiserver on a real etcd, on loopback, in a folder that goes away with them.
import {type ChildProcess, spawn} from 'node:child_process'
import {generateKeyPairSync} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {mkdir, mkdtemp, open, readFile, rm, writeFile} from 'node:fs/promises'
import {createServer} from 'node:net'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {openRealMachine} from '../../../src/machine/real/index.js'
import type {HttpRequest} from '../../../src/machine/http.js'
import {ADMIN_CERTIFICATE, CLUSTER_CA, NODE_CERTIFICATE} from '../../../src/simulator/cluster/certificates.js'
import {type AskCluster, bodyOf, type Who} from '../questions/kubernetes.js'

const READY_MS = 60_000
const pem = (name: string): string => readFileSync(new URL(`../../host/certificates/${name}`, import.meta.url), 'utf8')
const STRANGER = 'a-token-without-rights'

export interface ApiServer {
  readonly ask: AskCluster
  close(): Promise<void>
}

export interface ApiServerPrograms {
  readonly etcd: string
  readonly 'kube-apiserver': string
}

export async function startApiServer(programs: ApiServerPrograms): Promise<ApiServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-cluster-'))
  const children: ChildProcess[] = []
  const close = async (): Promise<void> => {
    for (const child of children.reverse()) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode === null && child.kill('SIGKILL')) await ended
    }

    await rm(folder, {force: true, recursive: true})
  }

  const run = async (name: string, program: string, args: readonly string[]): Promise<void> => {
    const log = await open(path.join(folder, `${name}.log`), 'w')
    const env = {HOME: folder, PATH: '/usr/bin:/bin'}
    children.push(spawn(program, args, {cwd: folder, env, stdio: ['ignore', log.fd, log.fd]}))
    await log.close()
  }

  try {
    const [client, peer, port] = await freePorts()
    const files = await writeFiles(folder)
    await run('etcd', programs.etcd, etcdArguments(folder, client!, peer!))
    await run('kube-apiserver', programs['kube-apiserver'], serverArguments(folder, files, client!, port!))
    const ask = asking(`https://127.0.0.1:${port}`)
    await ready(ask, folder)
    return {ask, close}
  } catch (error) {
    await close()
    throw error
  }
}

function asking(server: string): AskCluster {
  const {http} = openRealMachine({environment: {}})
  const shown = (who: Who): Pick<HttpRequest, 'headers' | 'tls'> => {
    const tls = {ca: pem('ca.pem')}
    if (who === 'admin') return {tls: {...tls, ...ADMIN_CERTIFICATE}}
    if (who === 'node') return {tls: {...tls, ...NODE_CERTIFICATE}}
    if (who === 'foreign') return {tls: {...tls, cert: pem('client.pem'), key: pem('leaf.key')}}
    if (who === 'expired') return {tls: {...tls, cert: pem('client-expired.pem'), key: pem('leaf.key')}}
    if (who === 'nobody') return {tls}
    return {headers: {authorization: `Bearer ${who === 'stranger' ? STRANGER : 'nonsense'}`}, tls}
  }

  return (question) => {
    const {method = 'GET', path: asked, type = 'application/json', who = 'node'} = question
    const {headers, tls} = shown(who)
    const body = bodyOf(question)
    return http.request({
      ...(body !== undefined && {body}),
      deadlineMs: 15_000,
      effect: 'change',
      headers: {accept: 'application/json', ...headers, ...(body !== undefined && {'content-type': type})},
      method,
      tls: tls!,
      url: `${server}${asked}`,
    })
  }
}

async function ready(ask: AskCluster, folder: string): Promise<void> {
  for (const until = Date.now() + READY_MS; Date.now() < until; await delay(200)) {
    const answer = await ask({name: 'ready', path: '/readyz', who: 'admin'}).catch(() => undefined)
    if (answer?.status === 200) return
  }

  const log = await readFile(path.join(folder, 'kube-apiserver.log'), 'utf8')
  throw new Error(`kube-apiserver was not ready in ${READY_MS / 1000} s:\n${log.slice(-3000)}`)
}

async function writeFiles(folder: string): Promise<Record<'ca' | 'cert' | 'key' | 'signing' | 'tokens', string>> {
  const {privateKey} = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: {format: 'pem', type: 'pkcs8'},
    publicKeyEncoding: {format: 'pem', type: 'spki'},
  })
  const content = {
    ca: CLUSTER_CA,
    cert: pem('server.pem'),
    key: pem('leaf.key'),
    signing: privateKey,
    tokens: `${STRANGER},system:serviceaccount:kube-system:stranger,stranger\n`,
  }
  await mkdir(folder, {recursive: true})
  const paths = Object.entries(content).map(async ([name, text]) => {
    await writeFile(path.join(folder, name), text, {mode: 0o600})
    return [name, path.join(folder, name)] as const
  })
  return Object.fromEntries(await Promise.all(paths)) as Record<keyof typeof content, string>
}

const etcdArguments = (folder: string, client: number, peer: number): string[] => [
  ...['--data-dir', path.join(folder, 'etcd'), '--name', 'lab', '--log-level', 'error'],
  ...['--listen-client-urls', `http://127.0.0.1:${client}`, '--advertise-client-urls', `http://127.0.0.1:${client}`],
  ...['--listen-peer-urls', `http://127.0.0.1:${peer}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
  ...['--initial-cluster', `lab=http://127.0.0.1:${peer}`],
]

const serverArguments = (
  folder: string,
  files: Awaited<ReturnType<typeof writeFiles>>,
  etcd: number,
  port: number,
): string[] => [
  // It refuses to advertise loopback; no one speaks to this address.
  ...['--advertise-address=10.0.0.10', '--bind-address=127.0.0.1', `--secure-port=${port}`],
  ...[`--etcd-servers=http://127.0.0.1:${etcd}`, `--cert-dir=${folder}`, '--service-cluster-ip-range=10.10.0.0/16'],
  ...[`--tls-cert-file=${files.cert}`, `--tls-private-key-file=${files.key}`, `--client-ca-file=${files.ca}`],
  ...[`--token-auth-file=${files.tokens}`, '--authorization-mode=Node,RBAC'],
  ...['--enable-admission-plugins=NodeRestriction', '--disable-admission-plugins=ServiceAccount'],
  ...['--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${files.signing}`],
  `--service-account-signing-key-file=${files.signing}`,
]

/** They are closed again before their users listen there: good enough for two programs started at once. */
async function freePorts(): Promise<number[]> {
  const servers = await Promise.all(
    [1, 2, 3].map(async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
