// The kubeconfigs of a node: an outline of each without secrets, and all secrets in them, to be hidden everywhere.
import {X509Certificate} from 'node:crypto'
import {identityFile, layoutOf} from '../config/layout.js'
import {pathBeside, readAllEntries, readDocument, textIn} from '../host/cluster/kubeconfig-document.js'
import {readUserFile} from '../host/cluster/kubeconfig-file.js'
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

/** Best effort: a file that cannot be read now cannot be put into a bundle either. */
export async function secretsOfNode(files: Files, baseDir: string): Promise<string[]> {
  const found = await Promise.all(pathsOf(baseDir).map((path) => secretsIn(files, path).catch(() => [])))
  return [...new Set(found.flat().map((text) => text.trim()))].filter((text) => text !== '')
}

/** Of all users, also those outside the current context: an administrator's may be among them. */
async function secretsIn(files: Files, path: string): Promise<string[]> {
  const content = await readUserFile(files, path)
  if (!content) return []
  const entries = readAllEntries(content)
  if (!entries) return [...content.toString('utf8').matchAll(SECRET_LINE)].map(([, value = '']) => value)
  const named = entries.users.flatMap((user) => FILES.flatMap((key) => textIn(user, key) ?? []))
  const contents = await Promise.all(
    // No other server is asked for a file.
    named
      .filter((name) => !/^[/\\]{2}/.test(name))
      .map(
        async (name) =>
          (await readUserFile(files, pathBeside(path, name)).catch(() => undefined))?.toString('utf8') ?? '',
      ),
  )
  const keys = entries.users.flatMap((user) => textIn(user, 'client-key-data') ?? [])
  const decoded = keys.map((key) => Buffer.from(key, 'base64').toString('utf8'))
  const urls = entries.clusters.flatMap((cluster) => [cluster['server'], cluster['proxy-url']])
  return [
    ...entries.users.flatMap((user) => secretTexts(user)),
    ...decoded,
    ...contents,
    ...[...decoded, ...contents].map(keyBody),
    ...urls.flatMap((url) => (typeof url === 'string' ? parseProxy(url).secrets : [])),
  ]
}

const FILES = ['client-key', 'tokenFile'] as const
/** In a file that is not valid YAML. */
const SECRET_LINE =
  /^[^\S\n]*["']?(?:[\w-]{0,40}token|password|client-key-data|client-secret)["']?[^\S\n]*:[^\S\n]*["']?([^\s"',}]{6,})/gm
/** Fields of a user that are no secrets, and would hide ordinary words. */
const HARMLESS =
  /^(?:name|apiVersion|command|interactiveMode|installHint|username|tokenFile|client-(?:certificate(?:-data)?|key|id)|as(?:-.*)?|.*-(?:url|path|mode|id)|expiry|expires-on|scopes|environment)$/

/** All other texts of a user: its token, the environment of an exec plugin, the settings of an auth provider. */
function secretTexts(value: unknown, name = '', depth = 0): string[] {
  if (typeof value === 'string') return HARMLESS.test(name) ? [] : [value]
  if (typeof value !== 'object' || value === null || depth > 10) return []
  if (Array.isArray(value)) {
    const list = value as unknown[]
    return list.flatMap((item, index) =>
      name === 'args' && typeof item === 'string'
        ? secretArgument(item, list[index - 1])
        : secretTexts(item, '', depth + 1),
    )
  }
  return Object.entries(value).flatMap(([key, inner]) => secretTexts(inner, key, depth + 1))
}

/** An argument of an exec plugin that is the value of a secret flag, or too long and mixed for a word. */
function secretArgument(argument: string, before: unknown): string[] {
  const [, flag = '', value = argument] = /^(--?[\w-]+)=([^]*)$/.exec(argument) ?? []
  const named = flag === '' && typeof before === 'string' ? before : flag
  const isNamed = /^--?.*(?:pass|pw|secret|token|key|credential|auth)[\w]*$/i.test(named) && !value.startsWith('-')
  const isMixed = value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/[\\/:. ]/.test(value)
  return isNamed || isMixed ? [value] : []
}

/** Without its frame and line breaks, as some programs pass a key on. */
const keyBody = (pem: string): string =>
  pem.includes('PRIVATE KEY') ? pem.replaceAll(/-----[A-Z0-9 ]{1,60}-----|\s/g, '') : ''
