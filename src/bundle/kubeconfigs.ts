// The kubeconfigs of a node: an outline of each without secrets, and all secrets in them, to be hidden everywhere.
import {X509Certificate} from 'node:crypto'
import {identityFile, layoutOf} from '../config/layout.js'
import {pathBeside, readAllEntries, readDocument, textIn} from '../host/cluster/kubeconfig-document.js'
import {readUserFile} from '../host/cluster/kubeconfig-file.js'
import {secretsIn} from '../host/cluster/kubeconfig-secrets.js'
import {secretsOfCopy} from '../host/containerd/registry-config.js'
import {trustedFiles} from '../host/security/trust.js'
import type {Files} from '../machine/files.js'
import {parseProxy} from '../machine/proxy.js'
import {type CollectorContext, reasonOf} from './collector.js'
import {IDENTITIES} from '../config/model.js'

type Fields = Record<string, unknown>

const pathsOf = (baseDir: string): string[] => [
  layoutOf(baseDir).bootstrapKubeconfig,
  layoutOf(baseDir).kubeconfig,
  ...IDENTITIES.map((identity) => identityFile(baseDir, identity)),
]

/** By path. */
export async function outlines({config, host}: CollectorContext): Promise<Record<string, unknown>> {
  const files = trustedFiles(host.files, host.trust)
  const found = pathsOf(config.baseDir).map(async (path) => [path, await outlineOf(files, path)] as const)
  return Object.fromEntries((await Promise.all(found)).filter(([, outline]) => outline !== undefined))
}

async function outlineOf(files: Files, path: string): Promise<unknown> {
  try {
    const content = await readUserFile(files, path)
    if (!content) return undefined
    const {cluster, names, user} = readDocument(content)
    return {
      cluster: {
        authority: await certificate(files, path, cluster, 'certificate-authority'),
        name: names.cluster,
        proxy: urlIn(cluster, 'proxy-url'),
        server: urlIn(cluster, 'server'),
        skipsVerification: cluster['insecure-skip-tls-verify'] === true,
      },
      context: names.context,
      user: {
        certificate: await certificate(files, path, user, 'client-certificate'),
        exec: textIn((user.exec ?? {}) as Fields, 'command'),
        kinds: KINDS.filter(([, keys]) => keys.some((key) => user[key] !== undefined && user[key] !== '')).map(
          ([kind]) => kind,
        ),
        name: names.user,
      },
    }
  } catch (error) {
    return {problem: reasonOf(error)}
  }
}

const KINDS: readonly (readonly [kind: string, keys: readonly string[]])[] = [
  ['client certificate', ['client-certificate', 'client-certificate-data']],
  ['token', ['token']],
  ['token file', ['tokenFile']],
  ['exec plugin', ['exec']],
  ['auth provider', ['auth-provider']],
  ['name and password', ['username']],
]

function urlIn(fields: Fields, key: string): string | undefined {
  const url = textIn(fields, key)
  return url === undefined ? undefined : parseProxy(url).shown
}

async function certificate(files: Files, kubeconfig: string, fields: Fields, key: string): Promise<unknown> {
  const data = textIn(fields, `${key}-data`)
  const file = textIn(fields, key)
  if (data === undefined && file === undefined) return undefined
  const besideIt = pathBeside(kubeconfig, file ?? '')
  try {
    const bytes = data === undefined ? await readUserFile(files, besideIt) : Buffer.from(data, 'base64')
    if (!bytes) return {problem: `${besideIt} does not exist`}
    const {issuer, subject, validFrom, validTo} = new X509Certificate(bytes)
    return {expires: moment(validTo), issuer: oneLine(issuer), subject: oneLine(subject), valid: moment(validFrom)}
  } catch {
    return {problem: 'it is not a PEM certificate'}
  }
}

const moment = (text: string): string => new Date(text).toISOString()
const oneLine = (name: string): string => name.replaceAll('\n', ', ')

export async function secretsOfNode(files: Files, baseDir: string): Promise<string[]> {
  const ofKubeconfigs = pathsOf(baseDir).map((path) => secretsInFile(files, path))
  return (await Promise.all([...ofKubeconfigs, secretsOfCopy(files, baseDir)])).flat()
}

/** Best effort: a file that cannot be read now cannot be shown either. */
async function secretsInFile(files: Files, path: string): Promise<string[]> {
  const read = (file: string): Promise<Buffer | undefined> => readUserFile(files, file).catch(() => undefined)
  const content = await read(path)
  if (!content) return []
  const users = readAllEntries(content)?.users ?? []
  const named = users.flatMap((user) => [textIn(user, 'client-key') ?? [], textIn(user, 'tokenFile') ?? []].flat())
  // No other server is asked for a file.
  const local = named.filter((name) => !/^[/\\]{2}/.test(name))
  const contents = await Promise.all(local.map((name) => read(pathBeside(path, name))))
  return secretsIn(
    content,
    contents.map((one) => one?.toString('utf8') ?? ''),
  )
}
