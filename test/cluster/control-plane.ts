// A control plane on loopback: etcd, kube-apiserver and kube-controller-manager, with the certificates, kubeconfigs,
// ConfigMaps and access rules of its own kubeadm.
import {execFile} from 'node:child_process'
import {createHash, generateKeyPairSync, X509Certificate} from 'node:crypto'
import {readFile, writeFile} from 'node:fs/promises'
import {createServer} from 'node:net'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {promisify} from 'node:util'
import {readKubeconfig} from '../../src/host/cluster/kubeconfig.js'
import type {HttpRequest, HttpResponse, TlsOptions} from '../../src/machine/http.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {type Daemons, endDaemon, openDaemons} from '../lab/daemons.js'
import {API_SERVER, CONTROLLER_MANAGER, ETCD, KUBEADM_CONFIG, type Place} from './arguments.js'
import {CONTROL_PLANE_NODE} from './objects.js'
import {type CLUSTER_PROGRAMS, clusterPrograms, minorOf, releaseOf} from './programs.js'

const READY_MS = 120_000
/** Controllers act within a second or two; a busy computer takes longer. */
const WAIT_MS = 30_000
const PROGRAM_MS = 120_000
/** Made with the cluster, as `kubeadm init` does; it ends after a day. */
export const FIRST_TOKEN = 'abcdef.0123456789abcdef'

/** Who asks: a bearer token, a client certificate, or no one. */
export type Caller = Pick<TlsOptions, 'cert' | 'key'> & {readonly token?: string}

export interface Question {
  readonly as?: Caller
  readonly body?: object
  readonly method?: HttpRequest['method']
  readonly path: string
  /** Of the body. */
  readonly type?: string
}

export interface ControlPlane {
  readonly admin: Caller
  /** The path of kubeadm's admin.conf. */
  readonly adminKubeconfig: string
  /** As it is, whatever the status. */
  ask(question: Question): Promise<HttpResponse>
  /** PEM. */
  readonly ca: string
  readonly caHash: string
  close(): Promise<void>
  readonly daemons: Daemons
  /** As the administrator; rejects with a status that is no success. */
  do(question: Omit<Question, 'as'>): Promise<unknown>
  readonly folder: string
  /** Of its Kubernetes 1.x. */
  readonly minor: number
  /** With admin.conf; resolves with its standard output. */
  kubeadm(...args: readonly string[]): Promise<string>
  /** With admin.conf, unless another kubeconfig is named. */
  kubectl(args: readonly string[], options?: {readonly kubeconfig?: string; readonly input?: string}): Promise<string>
  readonly programs: Readonly<Record<(typeof CLUSTER_PROGRAMS)[number], string>>
  readonly server: string
}

export async function startControlPlane(): Promise<ControlPlane> {
  const programs = await clusterPrograms(process.env)
  const daemons = openDaemons('control-plane', {
    environment: {PATH: '/usr/sbin:/usr/bin:/sbin:/bin'},
    find: (name) => programs[name as keyof typeof programs],
    root: path.dirname(programs.kubeadm),
  })
  try {
    return await start(daemons, programs)
  } catch (error) {
    await daemons.close()
    throw error
  }
}

async function start(daemons: Daemons, programs: ControlPlane['programs']): Promise<ControlPlane> {
  const {folder} = daemons
  const [client, peer, port, manager] = (await freePorts(4)) as [number, number, number, number]
  const release = await releaseOf(programs)
  const minor = minorOf(release)
  const place: Place = {client, folder, manager, minor, peer, port, release}
  const config = path.join(folder, 'kubeadm.yaml')
  const adminKubeconfig = path.join(folder, 'admin.conf')
  await writeFile(config, KUBEADM_CONFIG(place, FIRST_TOKEN))
  const run = async (program: string, args: readonly string[], input?: string): Promise<string> => {
    const env = {HOME: folder, PATH: '/usr/sbin:/usr/bin:/sbin:/bin'}
    const running = promisify(execFile)(program, args, {cwd: folder, env, timeout: PROGRAM_MS})
    running.child.stdin?.end(input)
    return (await running).stdout
  }

  const phase = (...args: readonly string[]): Promise<string> =>
    run(programs.kubeadm, ['init', 'phase', ...args, '--config', config])
  for (const name of ['ca', 'apiserver']) await phase('certs', name)
  await writeServiceAccountKeys(path.join(folder, 'pki'))
  // From 1.29 on admin.conf has only what a ClusterRoleBinding gives its group, which "kubeadm init" creates.
  const master = minor < 29 ? 'admin' : 'super-admin'
  for (const name of new Set(['admin', master, 'controller-manager']))
    await phase('kubeconfig', name, '--kubeconfig-dir', folder)
  const etcd = daemons.run('etcd', ETCD(place))
  const apiServer = daemons.run('kube-apiserver', API_SERVER(place))
  const callerOf = async (file: string): Promise<Caller & {readonly ca: string}> => {
    const {ca: authority = '', cert = '', key = ''} = (await readKubeconfig(file, await readFile(file), readFile)).tls
    return {ca: authority, cert, key}
  }
  const {ca, ...admin} = await callerOf(adminKubeconfig)
  const server = `https://127.0.0.1:${port}`
  const ask = asking(server, ca)
  await until('kube-apiserver', folder, async () => (await ask({as: admin, path: '/readyz'})).status === 200)
  if (master !== 'admin') {
    const {ca: _, ...as} = await callerOf(path.join(folder, `${master}.conf`))
    await waitUntil('the roles of the API server', async () => {
      const {status} = await ask({as, body: CLUSTER_ADMINS, method: 'POST', path: CLUSTER_ROLE_BINDINGS})
      return status === 201 || status === 409 || undefined
    })
  }
  const controllerManager = daemons.run('kube-controller-manager', CONTROLLER_MANAGER(place))
  const plane: ControlPlane = {
    admin,
    adminKubeconfig,
    ask,
    ca,
    caHash: `sha256:${createHash('sha256')
      .update(new X509Certificate(ca).publicKey.export({format: 'der', type: 'spki'}))
      .digest('hex')}`,
    async close() {
      for (const child of [controllerManager, apiServer, etcd]) await endDaemon(child, 'SIGKILL')
      await daemons.close()
    },
    daemons,
    async do(question) {
      const {body, status} = await ask({...question, as: admin})
      const text = body.toString('utf8')
      if (status >= 300) throw new Error(`${question.method ?? 'GET'} ${question.path}: ${status} ${text}`)
      return JSON.parse(text) as unknown
    },
    folder,
    minor,
    kubeadm: (...args) => run(programs.kubeadm, [...args, '--kubeconfig', adminKubeconfig]),
    kubectl: (args, {input, kubeconfig = adminKubeconfig} = {}) =>
      run(programs.kubectl, [...args, '--kubeconfig', kubeconfig], input),
    programs,
    server,
  }
  // kubeadm writes the container runtime's socket to the Node of the machine that it runs on.
  await plane.do({body: CONTROL_PLANE_NODE, method: 'POST', path: '/api/v1/nodes'})
  const withAdmin = ['--kubeconfig', adminKubeconfig]
  await phase('upload-config', 'all', ...withAdmin)
  await phase('bootstrap-token', ...withAdmin)
  await phase('addon', 'all', ...withAdmin)
  await signatureOf(plane, FIRST_TOKEN)
  return plane
}

const CLUSTER_ROLE_BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
const RBAC = 'rbac.authorization.k8s.io'
/** cmd/kubeadm/app/phases/kubeconfig/kubeconfig.go, EnsureAdminClusterRoleBinding. */
const CLUSTER_ADMINS = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: {name: 'kubeadm:cluster-admins'},
  roleRef: {apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin'},
  subjects: [{apiGroup: RBAC, kind: 'Group', name: 'kubeadm:cluster-admins'}],
}

const CLUSTER_INFO = '/api/v1/namespaces/kube-public/configmaps/cluster-info'

/** Of the bootstrap signer, which takes its time. */
export const signatureOf = (plane: Pick<ControlPlane, 'do'>, token: string): Promise<string> =>
  waitUntil(`the signature of the token ${token.slice(0, 6)}`, async () => {
    const {data} = (await plane.do({path: CLUSTER_INFO})) as {data: Record<string, string>}
    return data[`jws-kubeconfig-${token.slice(0, 6)}`]
  })

/** kubeadm makes no such token: it refuses usages without authentication as long as there are groups. */
export async function withoutAuthentication(plane: Pick<ControlPlane, 'do'>, token: string): Promise<void> {
  const data = {'usage-bootstrap-authentication': Buffer.from('false').toString('base64')}
  const path = `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${token.slice(0, 6)}`
  await plane.do({body: {data}, method: 'PATCH', path, type: 'application/merge-patch+json'})
}

/** kubeadm makes them without its configuration, and then asks the Internet for the newest release. */
async function writeServiceAccountKeys(folder: string): Promise<void> {
  const {privateKey, publicKey} = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: {format: 'pem', type: 'pkcs1'},
    publicKeyEncoding: {format: 'pem', type: 'spki'},
  })
  await writeFile(path.join(folder, 'sa.key'), privateKey, {mode: 0o600})
  await writeFile(path.join(folder, 'sa.pub'), publicKey)
}

function asking(server: string, ca: string): ControlPlane['ask'] {
  const {http} = openRealMachine({environment: {}})
  return ({as: {token, ...pair} = {}, body, method = 'GET', path: asked, type = 'application/json'}) =>
    http.request({
      ...(body && {body: JSON.stringify(body)}),
      deadlineMs: 15_000,
      effect: 'change',
      headers: {
        accept: 'application/json',
        ...(token !== undefined && {authorization: `Bearer ${token}`}),
        ...(body && {'content-type': type}),
      },
      method,
      tls: {ca, ...pair},
      url: `${server}${asked}`,
    })
}

/** Resolves with what is found; what fails meanwhile is tried again. */
export async function waitUntil<T>(what: string, find: () => Promise<T | undefined>, limitMs = WAIT_MS): Promise<T> {
  let last: unknown
  for (const end = Date.now() + limitMs; Date.now() < end; await delay(100)) {
    try {
      const found = await find()
      if (found !== undefined) return found
    } catch (error) {
      last = error
    }
  }

  throw new Error(`${what}: not within ${limitMs / 1000} s`, {cause: last})
}

async function until(name: string, folder: string, isReady: () => Promise<boolean>): Promise<void> {
  try {
    await waitUntil(name, async () => (await isReady()) || undefined, READY_MS)
  } catch (error) {
    const log = await readFile(path.join(folder, `${name}.log`), 'utf8')
    throw new Error(`${String(error)}\n${log.slice(-3000)}`, {cause: error})
  }
}

/** They are closed again before their users listen there: good enough for programs that are started at once. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({length: count}, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
