// Every secret that a kubeconfig holds or names, to be hidden in whatever is shown, logged or collected.
import {parseProxy} from '../../machine/proxy.js'
import {readAllEntries, textIn} from './kubeconfig-document.js'

/** Of all users, also those outside the current context: an administrator's may be among them. `more`: from files beside it. */
export function secretsIn(content: Buffer, more: readonly string[] = []): string[] {
  const entries = readAllEntries(content)
  if (!entries) return [...content.toString('utf8').matchAll(SECRET_LINE)].map(([, value = '']) => value)
  const keys = entries.users.flatMap((user) => textIn(user, 'client-key-data') ?? [])
  const texts = [...keys.map((key) => Buffer.from(key, 'base64').toString('utf8')), ...more]
  const urls = entries.clusters.flatMap((cluster) => [cluster['server'], cluster['proxy-url']])
  const found = [
    ...entries.users.flatMap((user) => secretTexts(user)),
    ...texts,
    ...texts.map(keyBody),
    ...urls.flatMap((url) => (typeof url === 'string' ? parseProxy(url).secrets : [])),
  ]
  return [...new Set(found.map((text) => text.trim()))].filter((text) => text !== '')
}

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
  const [lastWord = ''] = /(?<!\w)\w+$/.exec(named) ?? []
  const isNamed =
    named.startsWith('-') && /pass|pw|secret|token|key|credential|auth/i.test(lastWord) && !value.startsWith('-')
  const isMixed = value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/[\\/:. ]/.test(value)
  return isNamed || isMixed ? [value] : []
}

/** Without its frame and line breaks, as some programs pass a key on. */
export const keyBody = (pem: string): string =>
  pem.includes('PRIVATE KEY') ? pem.replaceAll(/-----[A-Z0-9 ]{1,60}-----|\s/g, '') : ''
