// Secrets this node has for certain, so that they are hidden wherever they stand, whatever stands around them.
import {win32} from 'node:path'
import {identityFile, layoutOf} from '../config/layout.js'
import {readDocument} from '../host/kubeconfig-document.js'
import {readUserFile} from '../host/user-file.js'
import type {Files} from '../machine/files.js'

const IDENTITIES = ['kubelet', 'kube-proxy', 'flanneld'] as const
const FILES = ['client-key', 'tokenFile'] as const

/** Best effort: what cannot be read now cannot be put into a bundle from there either. */
export async function secretsOfNode(files: Files, baseDir: string): Promise<string[]> {
  const paths = [layoutOf(baseDir).kubeconfig, ...IDENTITIES.map((identity) => identityFile(baseDir, identity))]
  const found = await Promise.all(paths.map((path) => secretsIn(files, path).catch(() => [])))
  return [...new Set(found.flat())]
}

async function secretsIn(files: Files, path: string): Promise<string[]> {
  const content = await readUserFile(files, path)
  if (!content) return []
  const {cluster, user} = readDocument(content)
  const beside = await Promise.all(
    FILES.map(async (key) => {
      const name = user[key]
      if (typeof name !== 'string' || name === '') return ''
      const file = win32.isAbsolute(name) ? name : win32.join(win32.dirname(path), name)
      return (await readUserFile(files, file).catch(() => undefined))?.toString('utf8') ?? ''
    }),
  )
  const {'client-key-data': key, 'auth-provider': provider, exec, password, token} = user
  const {env} = (exec ?? {}) as {readonly env?: unknown}
  const keyText = typeof key === 'string' ? Buffer.from(key, 'base64').toString('utf8') : ''
  const texts = [...textsIn(provider), ...textsIn(env), key, keyText, password, token, ...beside]
  const passwords = [cluster['server'], cluster['proxy-url']].flatMap((url) => passwordsIn(String(url)))
  return [...texts, ...[keyText, ...beside].map(keyBody), ...passwords]
    .filter((text): text is string => typeof text === 'string')
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

/** Without its frame and line breaks, as some programs pass a key on. */
const keyBody = (pem: string): string =>
  pem.includes('PRIVATE KEY') ? pem.replaceAll(/-----[A-Z0-9 ]+-----|\s/g, '') : ''

/** The values of an exec plugin's environment and of an auth provider: whatever is text there may be a secret. */
function textsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return name === 'name' ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, key))
}

/** As it stands in the URL, and as it is meant. */
export function passwordsIn(url: string): string[] {
  if (!URL.canParse(url)) return []
  const {password} = new URL(url)
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
