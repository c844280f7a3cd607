// A kubeconfig's exec plugin, run as kubectl runs it: it prints an ExecCredential, which is kept until it expires.
import {posix} from 'node:path'
import {isText, shaped} from '../../config/shape.js'
import {execPluginFailed} from '../../errors/cluster.js'
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {DeadlineError} from '../../machine/clock.js'
import {sizeText} from '../../machine/http-limit.js'
import type {Machine} from '../../machine/machine.js'
import {ProgramNotFoundError, ProgramOutputError} from '../../machine/run.js'
import {at, listAt, parseJson, textAt} from '../document.js'
import {isBearerToken, readKeyPair} from './key-material.js'
import {demandKinds, textIn} from './kubeconfig-document.js'
import type {Kubeconfig} from './kubeconfig.js'

export interface Credentials {
  /** PEM. */
  readonly cert?: string
  readonly key?: string
  readonly token?: string
}

export interface ExecPlugin {
  credentials(): Promise<Credentials>
  /** True where what it gave was kept from an earlier request: it is then asked again. */
  forget(): boolean
}

interface ExecCredential {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly status?: {
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
    readonly token?: string
  }
}

const DEADLINE_MS = 15_000
/** A token and a chain of certificates have some KiB. */
const LARGEST_CREDENTIAL = 1024 ** 2

export function openExecPlugin(
  {clock, run}: Pick<Machine, 'clock' | 'run'>,
  exec: ExecConfig,
  kubeconfig: Kubeconfig,
): ExecPlugin {
  const {args, command, env} = exec
  let kept: (ReadCredential & {uses: number}) | undefined

  const ask = async (): Promise<string> => {
    // It is not searched for on PATH, where anybody could put one. On Windows only an .exe is started without a shell.
    if (!/^[a-z]:[/\\].+\.exe$/i.test(command) && !posix.isAbsolute(command)) {
      throw execPluginFailed({command, reason: 'It is not the absolute path of an .exe.'})
    }

    const info = {KUBERNETES_EXEC_INFO: JSON.stringify(requestOf(exec, kubeconfig))}
    try {
      const result = await run(command, args, {
        deadlineMs: DEADLINE_MS,
        effect: 'read',
        env: {...env, ...info},
        maxOutputBytes: LARGEST_CREDENTIAL,
      })
      // What it says on stderr is not repeated: some print the token there.
      if (result.exitCode !== 0) throw execPluginFailed({command, reason: `It exited with ${result.exitCode}.`})
      return result.stdout
    } catch (error) {
      const reason = startProblem(error)
      throw reason === undefined ? error : execPluginFailed({command, reason}, {cause: error})
    }
  }

  return {
    async credentials() {
      if (!kept || kept.until <= clock.now()) {
        const refused = (reason: string): Error => execPluginFailed({command, reason})
        kept = {...readCredential(await ask(), exec.apiVersion, refused), uses: 0}
      }

      kept.uses++
      return kept.credentials
    },
    forget() {
      const isOld = kept !== undefined && kept.uses > 1
      kept = undefined
      return isOld
    },
  }
}

/** KUBERNETES_EXEC_INFO: what it is asked for. */
function requestOf(
  {apiVersion, clusterConfig: config, provideClusterInfo}: ExecConfig,
  {ca, proxy, server, tls}: Kubeconfig,
): object {
  const cluster = {
    ...(ca === undefined ? {} : {'certificate-authority-data': Buffer.from(ca).toString('base64')}),
    ...(proxy === undefined ? {} : {'proxy-url': proxy}),
    server,
    ...(tls.serverName === undefined ? {} : {'tls-server-name': tls.serverName}),
    ...(config === undefined ? {} : {config}),
  }
  return {apiVersion, kind: 'ExecCredential', spec: {...(provideClusterInfo ? {cluster} : {}), interactive: false}}
}

function startProblem(error: unknown): string | undefined {
  if (error instanceof ProgramNotFoundError) return 'The program does not exist.'
  if (error instanceof ProgramOutputError) return `It printed more than ${sizeText(error.limit)}.`
  if (error instanceof DeadlineError) return `It did not exit within ${DEADLINE_MS / 1000} s.`
  return (error as {code?: unknown}).code === undefined ? undefined : 'It could not be started.'
}

interface ReadCredential {
  readonly credentials: Credentials
  readonly until: number
}

/** As client-go judges it. What is refused holds nothing of what was printed. */
function readCredential(stdout: string, apiVersion: string, refused: (reason: string) => Error): ReadCredential {
  const credential = parseJson(stdout)
  if (!isCredential(credential)) throw refused('It printed no ExecCredential.')
  if (credential.apiVersion !== apiVersion) throw refused(`It printed an ExecCredential that is not of ${apiVersion}.`)
  const {clientCertificateData: cert, clientKeyData: key, expirationTimestamp, token} = credential.status ?? {}
  if (![cert, key, token, expirationTimestamp].every((value) => value === undefined || isText(value)))
    throw refused('It printed an ExecCredential whose values are not text.')
  if (!token && !cert && !key) throw refused('It printed an ExecCredential with neither token nor certificate.')
  if (token && !isBearerToken(token))
    throw refused('It printed a token with a line break or a character that cannot be sent.')
  const until = Date.parse(expirationTimestamp ?? '')
  try {
    const pair = readKeyPair(cert || undefined, key || undefined)
    return {credentials: {...pair, ...(token && {token})}, until: Number.isNaN(until) ? Infinity : until}
  } catch (error) {
    throw refused(`Of what it printed, ${(error as Error).message}.`)
  }
}

const isCredential = shaped<ExecCredential>({kind: (kind): kind is string => kind === 'ExecCredential'})

export interface ExecConfig {
  /** Of the ExecCredential it is asked for and must answer with. */
  readonly apiVersion: string
  readonly args: readonly string[]
  /** What the kubeconfig's cluster has for plugins, such as an audience. */
  readonly clusterConfig?: unknown
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** It requests information about the cluster. */
  readonly provideClusterInfo: boolean
}

export const EXEC_GROUP = 'client.authentication.k8s.io'
/** Which of them a daemon knows depends on its release (components/exec-versions.ts). */
const API_VERSIONS = ['v1alpha1', 'v1beta1', 'v1'].map((version) => `${EXEC_GROUP}/${version}`)

/** Undefined where there is none. A command with a folder in its name is taken as beside the kubeconfig. */
export function readExec(
  {cluster, user}: Readonly<Record<'cluster' | 'user', Record<string, unknown>>>,
  besideIt: (name: string) => string,
): ExecConfig | undefined {
  const exec = (user.exec ?? undefined) as Record<string, unknown> | undefined
  if (exec === undefined) return undefined
  const kinds = {apiVersion: 'text', args: 'list', command: 'text', env: 'list', interactiveMode: 'text'} as const
  demandKinds(exec, {...kinds, provideClusterInfo: 'boolean'})
  const apiVersion = textIn(exec, 'apiVersion')
  const command = textIn(exec, 'command')
  if (command === undefined) throw new UnusableFileError('its exec has no command')
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw new UnusableFileError(`its exec has no apiVersion of ${EXEC_GROUP}`)
  }

  demandNoConsole(textIn(exec, 'interactiveMode'), apiVersion)

  const args = (exec.args ?? []) as unknown[]
  const env = ((exec.env ?? []) as unknown[]).map((entry) => (entry ?? {}) as Record<string, unknown>)
  if (!args.every((arg) => typeof arg === 'string'))
    throw new UnusableFileError('its exec has args that are not text (put them in quotes)')
  for (const entry of env) {
    demandKinds(entry, {name: 'text', value: 'text'})
    if (textIn(entry, 'name') === undefined) throw new UnusableFileError('its exec has an env without a name')
  }

  if (/[/\\]/.test(command)) exec.command = besideIt(command)
  return {
    apiVersion,
    args,
    clusterConfig: clusterConfigIn(cluster),
    command: exec.command as string,
    env: Object.fromEntries(env.map((entry) => [textIn(entry, 'name'), textIn(entry, 'value') ?? ''])) as Record<
      string,
      string
    >,
    provideClusterInfo: exec.provideClusterInfo === true,
  }
}

/** The extension of a cluster that client-go passes on (clientcmd/client_config.go, clusterExtensionKey). */
const clusterConfigIn = (cluster: Record<string, unknown>): unknown =>
  at(
    listAt(cluster, 'extensions').find((one) => textAt(one, 'name') === `${EXEC_GROUP}/exec`),
    'extension',
  )

/**
 * Every release that knows v1 demands the mode there, and those before it never read it (client-go
 * tools/clientcmd/validation.go, and api/v1/defaults.go for the older versions). With Always a daemon gets no
 * credentials: "standard input is not a terminal" (exec.go, isInteractive).
 */
function demandNoConsole(mode: string | undefined, apiVersion: string): void {
  if (mode === undefined && apiVersion === `${EXEC_GROUP}/v1`) {
    throw new UnusableFileError(`its exec has no interactiveMode, which ${apiVersion} requires (Never or IfAvailable)`)
  }

  if (mode === 'Always')
    throw new UnusableFileError('its exec has the interactiveMode Always, but a service has no console')
  if (mode !== undefined && !['IfAvailable', 'Never'].includes(mode)) {
    throw new UnusableFileError('its exec has an interactiveMode that is neither Never nor IfAvailable')
  }
}
