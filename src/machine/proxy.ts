// A proxy as variables, kubeconfigs and Docker name it. Whoever uses, shows or hides one asks this parser, so that what is
// a password for one is none for the other.
import {safeUrl} from './credentials.js'

export interface ProxyAddress {
  /** All that is before the last "@", and the password in it, as written and decoded. Empty if it needs no login. */
  readonly secrets: readonly string[]
  /** The address without them. */
  readonly shown: string
  /** Undefined unless it is the address of an HTTP proxy. */
  readonly url: URL | undefined
}

export function parseProxy(text: string): ProxyAddress {
  const given = text.trim()
  const [scheme = ''] = /^[a-z][\d+.a-z-]*:\/\//iu.exec(given) ?? []
  // As curl and Go: what has no scheme is an HTTP proxy. A password may have an "@" or a "/" that should be encoded.
  const [, login = '', host = ''] = /^(?:(.*)@)?([^@]*)$/su.exec(given.slice(scheme.length)) ?? []
  const address = `${scheme || 'http://'}${host}`
  const url = /^https?:/iu.test(address) && URL.canParse(address) ? new URL(address) : undefined
  const [, user = login, password = ''] = /^([^:]*):(.*)$/su.exec(login) ?? []
  // A "%" that encodes nothing is a letter of the login: whoever decodes it would fail.
  const encoded = (part: string): string => part.replaceAll(/%(?![\da-f]{2})/giu, '%25')
  if (url) [url.username, url.password] = [encoded(user), encoded(password)]
  const secrets = [login, password].flatMap((secret) => [secret, decoded(secret)])
  return {secrets: [...new Set(secrets)].filter((secret) => secret !== ''), shown: host && safeUrl(address), url}
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
