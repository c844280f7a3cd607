// Reading a kubeconfig as kubectl does: the current context's cluster and user, files beside it included.
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import type {TlsOptions} from '../../machine/http.js'
import {parseProxy} from '../../machine/proxy.js'
import {type ExecConfig, readExec} from './exec-plugin.js'
import {isBearerToken, readAuthorities, readKeyPair} from './key-material.js'
import {pathBeside, readDocument, textIn, writeDocument} from './kubeconfig-document.js'
import {secretsIn} from './kubeconfig-secrets.js'

export interface Kubeconfig {
  /** PEM, where the kubeconfig names one. */
  readonly ca?: string
  /** PEM. */
  readonly certificate?: string
  readonly exec?: ExecConfig
  /** The proxy the cluster is reached through, in place of the environment's. */
  readonly proxy?: string
  /** What must not be shown of it: of all its users, and of the files that the current one names. */
  readonly secrets: readonly string[]
  readonly server: string
  readonly tls: TlsOptions
  readonly token?: string
  /** Equal for kubeconfigs with the same cluster, user and credentials. */
  readonly key: string
  /** Returns the current context alone, with the content of every file it names, for daemons in another folder. */
  write(): string
}

type ReadFile = (path: string) => Promise<Buffer | undefined>
type Entry = Record<string, unknown>

/** Throws an Error that says in a sentence what is wrong with it; never with any of its content. */
export async function readKubeconfig(path: string, content: Buffer, readFile: ReadFile): Promise<Kubeconfig> {
  const current = readDocument(content)
  const {cluster, user} = current
  if (cluster['insecure-skip-tls-verify'] === true) {
    throw new UnusableFileError('it has insecure-skip-tls-verify: the API server is not authenticated')
  }

  const besideIt = (name: string): string => pathBeside(path, name)
  const material = async (entry: Entry, key: string): Promise<string | undefined> => {
    const data = textIn(entry, `${key}-data`)
    const file = textIn(entry, key)
    if (data !== undefined && file !== undefined) {
      throw new UnusableFileError(`it has both ${key} and ${key}-data, of which the daemons use only one`)
    }

    if (data === undefined && file === undefined) return undefined
    const bytes = file === undefined ? Buffer.from(data ?? '', 'base64') : await readFile(besideIt(file))
    if (!bytes) throw new UnusableFileError(`it names ${besideIt(file ?? '')}, which does not exist`)
    entry[`${key}-data`] = bytes.toString('base64')
    delete entry[key]
    return bytes.toString('utf8')
  }

  const authority = await material(cluster, 'certificate-authority')
  const ca = authority === undefined ? undefined : readAuthorities(authority)
  const pair = readKeyPair(await material(user, 'client-certificate'), await material(user, 'client-key'))
  const exec = readExec(current, besideIt)
  const token = await readToken(user, besideIt, readFile)
  if (textIn(user, 'as') !== undefined)
    throw new UnusableFileError('its user uses impersonation (as), which is not supported for a node')
  if ([pair, token, exec].every((credential) => credential === undefined)) demandNoOtherWay(user)
  const serverName = textIn(cluster, 'tls-server-name')
  return {
    ...optional('ca', ca),
    ...optional('certificate', pair?.cert),
    ...optional('exec', exec),
    ...optional('proxy', readProxy(cluster)),
    ...optional('token', token),
    secrets: secretsIn(content, [token ?? '', pair?.key ?? '']),
    server: readServer(cluster),
    tls: {
      ...optional('ca', ca),
      ...pair,
      ...optional('serverName', serverName),
    },
    key: JSON.stringify(current),
    write: () => writeDocument(current),
  }
}

/** As client-go: the file wins, and where it cannot be read the token beside it does. */
async function readToken(user: Entry, besideIt: (name: string) => string, readFile: ReadFile) {
  const name = textIn(user, 'tokenFile')
  const file = name === undefined ? undefined : besideIt(name)
  const bytes = file === undefined ? undefined : await readFile(file)
  const token = bytes?.toString('utf8').trim() || textIn(user, 'token')
  if (file !== undefined && token === undefined) {
    throw new UnusableFileError(`it names ${file}, which ${bytes ? 'is empty' : 'does not exist'}`)
  }

  if (token !== undefined && !isBearerToken(token))
    throw new UnusableFileError('its token contains a line break or a character that cannot be sent')
  if (file !== undefined) {
    user.token = token
    delete user.tokenFile
  }

  return token
}

/** Credentials that k8s-win does not support; without them the cluster would reject its requests as anonymous. */
function demandNoOtherWay(user: Entry): void {
  if (user['auth-provider'])
    throw new UnusableFileError('its user has an auth-provider, which only kubectl supports: use exec')
  if (textIn(user, 'username') !== undefined) {
    throw new UnusableFileError('its user has a name and password, which Kubernetes no longer supports since 1.19')
  }
}

/** Without TLS, which a host and port alone mean too, client-go sends no credentials. */
function readServer(cluster: Entry): string {
  const server = textIn(cluster, 'server')
  if (server === undefined) throw new UnusableFileError('it contains no server')
  if (!URL.canParse(server) || new URL(server).protocol !== 'https:')
    throw new UnusableFileError('its server is not an https address')
  return server.replace(/(?<!\/)\/+$/, '')
}

/** client-go demands a scheme, and refuses a "%" that encodes nothing (client-go/rest, url.Parse of proxy-url). */
function readProxy(cluster: Entry): string | undefined {
  const proxy = textIn(cluster, 'proxy-url')
  if (proxy !== undefined && !(/^https?:(?!.*%(?![\da-f]{2}))/i.test(proxy) && parseProxy(proxy).url)) {
    throw new UnusableFileError('its proxy-url is not that of an HTTP proxy')
  }

  return proxy
}

function optional<K extends string, V>(key: K, value: V | undefined): Record<K, V> | Record<never, never> {
  return value === undefined ? {} : {[key]: value}
}
