// A kubeconfig without its secrets: which cluster, what kind of user, whose certificate and until when.
import {X509Certificate} from 'node:crypto'
import {posix, win32} from 'node:path'
import {identityFile, layoutOf} from '../config/layout.js'
import {readDocument, textIn} from '../host/kubeconfig-document.js'
import {trustedFiles} from '../host/trust.js'
import {readUserFile} from '../host/user-file.js'
import type {Files} from '../machine/files.js'
import {safeUrl} from '../machine/credentials.js'
import {documentCollector} from './collector.js'
import {reasonOf} from './run-collectors.js'

type Fields = Record<string, unknown>

const IDENTITIES = ['kubelet', 'kube-proxy', 'flanneld'] as const

export const kubeconfigCollector = documentCollector(
  'kubeconfigs',
  'configuration/kubeconfigs.json',
  async ({config, host}) => {
    const {baseDir} = config
    const paths = [layoutOf(baseDir).kubeconfig, ...IDENTITIES.map((identity) => identityFile(baseDir, identity))]
    const outlines = await Promise.all(paths.map((path) => outlineOf(trustedFiles(host.files, host.trust), path)))
    const told = outlines.flatMap((outline, index) => (outline === undefined ? [] : [[paths[index], outline] as const]))
    return Object.fromEntries(told) as Record<string, unknown>
  },
)

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
  return url === undefined ? undefined : safeUrl(url)
}

async function certificate(files: Files, kubeconfig: string, fields: Fields, key: string): Promise<unknown> {
  const data = textIn(fields, `${key}-data`)
  const file = textIn(fields, key)
  if (data === undefined && file === undefined) return undefined
  const {dirname, join} = /^[a-z]:|\\/i.test(kubeconfig) ? win32 : posix
  const besideIt = win32.isAbsolute(file ?? '') ? String(file) : join(dirname(kubeconfig), file ?? '')
  try {
    const bytes = data === undefined ? await readUserFile(files, besideIt) : Buffer.from(data, 'base64')
    if (!bytes) return {problem: `${besideIt} is not there`}
    const {issuer, subject, validFrom, validTo} = new X509Certificate(bytes)
    return {expires: moment(validTo), issuer: oneLine(issuer), subject: oneLine(subject), valid: moment(validFrom)}
  } catch {
    return {problem: 'it is no certificate (PEM)'}
  }
}

const moment = (text: string): string => new Date(text).toISOString()
const oneLine = (name: string): string => name.replaceAll('\n', ', ')
