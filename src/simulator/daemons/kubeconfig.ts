// A daemon's client of the cluster: its kubeconfig as client-go reads it, and the API server's answers.
import {parse} from 'yaml'

import {ANONYMOUS, identify, type Identity, trustProblem} from '../cluster/identity.js'
import {admissionProblem, authorize} from '../cluster/permissions.js'
import {FileError, type Files} from '../../machine/files.js'
import {remembered} from '../../machine/remembered.js'
import {proxyFor} from '../../machine/real/http-proxy.js'
import {isAtLeast} from '../versions.js'
import type {DaemonProcess, Version} from './daemon.js'

/** The client certificate of a kubeconfig, with its key. */
export interface ClientPair {
  readonly cert: string
  /** In the kubeconfig itself, not in files that it names. */
  readonly isInline: boolean
  readonly key: string
}

export interface ClusterClient {
  /** The authorities of the API server, in the kubeconfig itself or in a file that it names. */
  readonly authority: {readonly data?: string; readonly file?: string}
  /** The file of the client certificate, where the kubeconfig names one. */
  readonly certificateFile?: string
  readonly credential: 'certificate' | 'none' | 'token'
  /** Why the kubeconfig cannot be used; every request has this problem then. */
  readonly error?: string
  /** As whom the API server knows it. */
  identity(): Identity
  /** The kubeconfig's own. */
  readonly pair?: ClientPair
  /** client-go's error for a request, or undefined. */
  problem(verb: string, resource: string, name?: string): string | undefined
  readonly server: string
}

const unusable = (error: string): ClusterClient => ({
  authority: {},
  credential: 'none',
  error,
  identity: () => ANONYMOUS,
  problem: () => error,
  server: '',
})

interface Kubeconfig {
  clusters?: {cluster?: Record<string, string | undefined>; name?: string}[]
  contexts?: {context?: {cluster?: string; user?: string}; name?: string}[]
  'current-context'?: string
  users?: {name?: string; user?: Record<string, string | undefined> & {exec?: Exec}}[]
}

/** API groups other than the core group. */
const GROUPS: Readonly<Record<string, string>> = {
  certificatesigningrequests: 'certificates.k8s.io',
  endpointslices: 'discovery.k8s.io',
}
const CHANGES = ['create', 'patch', 'update']
/** As Go's parser reads it: YAML 1.1. */
const parseKubeconfig = remembered(
  (text) => (parse(text, {uniqueKeys: false, version: '1.1'}) ?? {}) as Readonly<Kubeconfig>,
)
const NOT_FOUND = 'The system cannot find the file specified.'

export interface Client {
  /** The minor version of the daemon's client-go; that of Kubernetes by default. */
  readonly clientGo?: number
  /** The client is not made now: files that the kubeconfig names may be missing. */
  readonly ignoresFiles?: boolean
  /** Uses the environment's proxy only, not proxy-url. */
  readonly ignoresProxyUrl?: boolean
  /** An API server in place of the kubeconfig's (tools/clientcmd, BuildConfigFromFlags: ConfigOverrides). */
  readonly master?: string | undefined
  /** A certificate in place of the kubeconfig's. */
  readonly rotated?: string
}

export async function openKubeconfig(
  {env, stage, version}: Pick<DaemonProcess, 'env' | 'stage' | 'version'>,
  path: string,
  {clientGo = version.minor, ignoresFiles = false, ignoresProxyUrl = false, master, rotated}: Client = {},
): Promise<ClusterClient> {
  const bytes = await stage.files.read(path)
  if (!bytes) return unusable(`CreateFile ${path}: ${NOT_FOUND}`)
  let config: Kubeconfig
  try {
    config = parseKubeconfig(decode(bytes))
  } catch (error) {
    return unusable(`error loading config file "${path}": yaml: ${(error as Error).message.split('\n')[0]}`)
  }

  const context = config.contexts?.find(({name}) => name === config['current-context'])?.context
  const cluster = config.clusters?.find(({name}) => name === context?.cluster)?.cluster
  const user = config.users?.find(({name}) => name === context?.user)?.user ?? {}
  const server = master || cluster?.['server']
  const invalid = (reason: string): ClusterClient => unusable(`invalid configuration: ${reason}`)
  if (!cluster || !server) {
    return invalid('no configuration has been provided, try setting KUBERNETES_MASTER environment variable')
  }

  // validation.go: the data or the file, not both.
  const both = (what: string, name = ''): ClusterClient =>
    invalid(`${what}-data and ${what} are both specified for ${name}. ${what}-data will override.`)
  if (cluster['certificate-authority-data'] && cluster['certificate-authority']) {
    return both('certificate-authority', context?.cluster)
  }

  if (user['client-certificate-data'] && user['client-certificate']) return both('client-cert', context?.user)
  const {exec} = user
  const wrong = exec && invalidExec(exec, clientGo, context?.user ?? '')
  if (wrong !== undefined) return invalid(wrong)
  const unknown = exec && unknownExec(exec, clientGo)
  if (unknown !== undefined) return unusable(unknown)

  const read = async (data: string | undefined, file: string | undefined): Promise<string | undefined> =>
    data ? Buffer.from(data, 'base64').toString() : file && (await readText(stage.files, file))
  const ca = await read(cluster['certificate-authority-data'], cluster['certificate-authority'])
  const [own, key] = [
    await read(user['client-certificate-data'], user['client-certificate']),
    await read(user['client-key-data'], user['client-key']),
  ]
  const missing = ignoresFiles ? [] : missingFiles(user, {cert: own, key}, context?.user)
  if (missing.length > 0) return invalid(missing.length > 1 ? `[${missing.join(', ')}]` : missing.join(''))
  const pair = own && key ? {cert: own, isInline: Boolean(user['client-certificate-data']), key} : undefined
  const cert = rotated ?? own
  // A readable file has priority (client-go, transport/round_trippers.go).
  const file = user['tokenFile'] && (await stage.files.read(user['tokenFile']))?.toString().trim()
  const token = file || user['token']
  const tls = {...(ca && {ca}), ...(cert && {cert})}
  const headers: Record<string, string> = token ? {authorization: `Bearer ${token}`} : {}
  const environment = {HTTPS_PROXY: env('HTTPS_PROXY'), NO_PROXY: env('NO_PROXY')}
  const given = ignoresProxyUrl ? undefined : cluster['proxy-url']
  const proxy = given ? new URL(given) : proxyFor(new URL(server), environment)
  const problem = (verb: string, resource: string, name = ''): string | undefined => {
    const group = GROUPS[resource] ?? ''
    const qualified = group ? `${resource}.${group}` : resource
    const {cluster: state, os} = stage.world
    const url = `${verb === 'get' ? 'Get' : 'Post'} "${server}/api/v1/${resource}"`
    if (stage.now() < os.offlineUntil)
      return `${url}: dial tcp: connectex: A socket operation was attempted to an unreachable network.`
    if (state.elsewhere) return undefined
    const isCut = state.proxy !== undefined && proxy?.host !== new URL(state.proxy).host
    if (!state.reachable || isCut || !sameServer(server, state.serverURL)) {
      return `${url}: dial tcp: connectex: A connection attempt failed because the connected party did not properly respond after a period of time.`
    }

    const muted = exec && mutedExec(exec, clientGo)
    if (muted !== undefined) return `${url}: ${muted}`
    if (trustProblem(tls, state)) return `${url}: x509: certificate signed by unknown authority`
    const identity = identify(state, tls, headers, stage.now())
    if (!identity) return 'Unauthorized'
    // A new object has a name for admission, but not for the authorizer.
    const access = {group, name: verb === 'create' ? '' : name, namespace: '', resource, verb}
    const {allowed} = authorize(state, identity, access)
    if (!allowed)
      return `${qualified} is forbidden: User "${identity.user}" cannot ${verb} resource "${resource}" in API group "${group}" at the cluster scope`
    const refused = CHANGES.includes(verb) ? admissionProblem(state, identity, {name, resource, verb}) : undefined
    return refused === undefined ? undefined : `${qualified} "${name}" is forbidden: ${refused}`
  }

  const credential = cert ? 'certificate' : token ? 'token' : 'none'
  const {'certificate-authority': caFile, 'certificate-authority-data': caData} = cluster
  const {'client-certificate': certificateFile} = user
  return {
    authority: {...(caData && {data: caData}), ...(caFile && {file: caFile})},
    ...(certificateFile && {certificateFile}),
    credential,
    identity: () => identify(stage.world.cluster, tls, headers, stage.now()) ?? ANONYMOUS,
    ...(pair && {pair}),
    problem,
    server,
  }
}

/** Undefined also for a link to nothing: os.Open follows links. */
export async function readText(files: Files, path: string): Promise<string | undefined> {
  try {
    return (await files.read(path))?.toString('utf8')
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

/** tools/clientcmd/validation.go, validateAuthInfo. */
function missingFiles(
  user: Readonly<Record<string, unknown>>,
  read: {readonly cert: string | undefined; readonly key: string | undefined},
  name = '',
): string[] {
  const unread = (what: string, path: unknown, content: string | undefined): string[] =>
    typeof path === 'string' && path !== '' && content === undefined
      ? [`unable to read ${what} ${path} for ${name} due to open ${path}: ${NOT_FOUND}`]
      : []
  return [
    ...unread('client-cert', user['client-certificate'], read.cert),
    ...unread('client-key', user['client-key'], read.key),
  ]
}

function decode(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2)
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(bytes)
}

function sameServer(a: string, b: string): boolean {
  try {
    return new URL(a).origin === new URL(b).origin
  } catch {
    return false
  }
}

// Exec plugins, as the client-go in the daemon judges them. None is run: a daemon that needs one has no credentials.

const EXEC_GROUP = 'client.authentication.k8s.io'

/** `exec` of a kubeconfig's user. */
export interface Exec {
  readonly apiVersion?: string
  readonly interactiveMode?: string
}

/** The minor of flanneld's client-go: go.mod of flannel 0.13 (3.0, which has no plugins), 0.14 to 0.19, and since 0.20. */
export function flannelClientGo(version: Version): number {
  if (!isAtLeast(version.text, '0.14.0')) return 3
  return isAtLeast(version.text, '0.20.0') ? 25 : 20
}

/** tools/clientcmd/validation.go and api/v1/defaults.go since 0.22: "invalid configuration". */
export function invalidExec(
  {apiVersion = '', interactiveMode = ''}: Exec,
  clientGo: number,
  user: string,
): string | undefined {
  if (clientGo < 11) return undefined
  if (!apiVersion) return `apiVersion must be specified for ${user} to use exec authentication plugin`
  if (clientGo < 22) return undefined
  if (!interactiveMode) {
    const isDefaulted = [`${EXEC_GROUP}/v1alpha1`, `${EXEC_GROUP}/v1beta1`].includes(apiVersion)
    return isDefaulted ? undefined : `interactiveMode must be specified for ${user} to use exec authentication plugin`
  }

  if (['Always', 'IfAvailable', 'Never'].includes(interactiveMode)) return undefined
  return `invalid interactiveMode for ${user}: "${interactiveMode}"`
}

/** plugin/pkg/client/auth/exec/exec.go, apiVersions: asked when the client is made. */
export function unknownExec({apiVersion = ''}: Exec, clientGo: number): string | undefined {
  if (clientGo < 11) return undefined
  const known = [...(clientGo < 24 ? ['v1alpha1'] : []), 'v1beta1', ...(clientGo < 22 ? [] : ['v1'])]
  if (known.some((version) => apiVersion === `${EXEC_GROUP}/${version}`)) return undefined
  return `exec plugin: invalid apiVersion "${apiVersion}"`
}

/** exec.go, isInteractive: asked with every request, and a service has no terminal. */
export function mutedExec({interactiveMode}: Exec, clientGo: number): string | undefined {
  if (clientGo < 22 || interactiveMode !== 'Always') return undefined
  return 'getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal'
}
