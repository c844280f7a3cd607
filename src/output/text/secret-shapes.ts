// Finds secrets by their shape: keys, logins, data of Secrets, encoded texts with a secret in them, and random letters that are
// not words. Linear in the length of the text: every pattern is bounded, or consumes what it was tried on.
import {endOf, matchesOf, type Range, ValueReader} from './value-reader.js'

const MARKER = /-{4,5} ?(BEGIN|END) ([A-Za-z0-9 ]{0,40}?) ?-{4,5}/g
const PRIVATE = /private|secret|static key/i
/** The lines of a key, also with their ends escaped; its headers; up to what cannot be part of it. */
const KEY_HEADERS = /(?:(?:\\{0,4}[nr]|\s){1,4}[A-Za-z][\w-]{1,30}: [^\n\\"]{0,200}){0,6}/y
const KEY_LINE = /(?:\\{1,4}[nr]|["',+]|\s){0,40}(?!-)[A-Za-z0-9+/=]{16,}/y
const KEY_LAST_LINE = /(?:\\{1,4}[nr]|["',+]|\s){1,40}[A-Za-z0-9+/=]{1,15}(?![\w:.])/y
const KEY_LETTER = /[A-Za-z0-9+/=\s\\]/

/** Keys between BEGIN and END, also where the text begins or ends inside one. */
export function keyBlocks(text: string): Range[] {
  const found: Range[] = []
  let begin: {readonly at: number; readonly isPrivate: boolean; readonly next: number} | undefined
  let last = 0
  const cutOff = (): void => {
    if (begin?.isPrivate) found.push([begin.at, keyEnd(text, begin.next)])
  }
  for (const {0: whole, 1: kind, 2: label = '', index} of matchesOf(MARKER, text)) {
    const next = index + whole.length
    const isPrivate = PRIVATE.test(label)
    if (kind === 'BEGIN') {
      cutOff()
      begin = {at: index, isPrivate, next}
    } else {
      if (begin?.isPrivate ?? isPrivate) found.push([begin?.at ?? keyStart(text, index, last), next])
      begin = undefined
    }
    last = next
  }
  cutOff()
  return found
}

function keyEnd(text: string, from: number): number {
  let end = endOf(KEY_HEADERS, text, from) ?? from
  for (let next = endOf(KEY_LINE, text, end); next !== undefined; next = endOf(KEY_LINE, text, end)) end = next
  return endOf(KEY_LAST_LINE, text, end) ?? end
}

function keyStart(text: string, end: number, least: number): number {
  let at = end
  while (at > least && KEY_LETTER.test(text[at - 1] ?? '')) at--
  return at
}

const LONGEST_LOGIN = 500
const AUTHORITY = /[^\s"'`<>/?#\\]*/y
const USER_IN_URL = /[^\s/?#@:]{1,100}:(?!\d{1,6}[/?#])/y

/** The user of a URL: everything up to the "@", also where a password has a "/" or a "?" that should be encoded. */
export function urlLogins(text: string): Range[] {
  const found: Range[] = []
  let sign = -1
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const from = at + 3
    if (sign < from) sign = text.indexOf('@', from)
    if (sign === -1) break
    const end = endOf(AUTHORITY, text, from) ?? from
    const own = text.slice(from, end).lastIndexOf('@')
    if (own >= 0) found.push([from, from + own])
    else if (sign - from < LONGEST_LOGIN && endOf(USER_IN_URL, text, from) !== undefined) {
      const stretch = /^[^\s"'`<>]*/.exec(text.slice(from, from + LONGEST_LOGIN))?.[0] ?? ''
      if (stretch.includes('@')) found.push([from, from + stretch.lastIndexOf('@')])
    }
  }
  return found
}

const LONGEST_BARE_LOGIN = 265
/** Or, for a driver of databases in Go, a protocol. */
const HOST_WITH_PORT = /@(?=[\w.-]{1,253}:\d{2,5}\b|(?:tcp|unix)\()/g

/**
 * A proxy may be written without a scheme: a name, a colon and a password before a host with a port. Looked for from the host
 * back, and no letter twice.
 */
export function bareLogins(text: string): Range[] {
  let least = 0
  return matchesOf(HOST_WITH_PORT, text).flatMap(({index: at}): Range[] => {
    let from = at
    while (from > least && at - from < LONGEST_BARE_LOGIN && !/[\s"'`<>]/.test(text[from - 1] ?? '')) from--
    least = at + 1
    const start = text.slice(from, at).search(/(?<![^=,;({[])[^=@:/\\]{1,64}:./)
    return start >= 0 ? [[from + start, at]] : []
  })
}

const BASIC = /\bbasic[^\S\n]{1,8}([\w+/-]{6,})={0,2}/gi

/** A name, a colon and a password, which may be in any encoding, or truncated; without a name it must be readable. */
const isLogin = (base64: string): boolean =>
  /^(?:[^\p{Cc}\uFFFD:]+:\P{Cc}*|:[^\p{Cc}\uFFFD]+)$/u.test(Buffer.from(base64, 'base64').toString('utf8'))

/** Any word after "basic" may look like base64: only its content shows whether it is. */
export const basicLogins = (text: string): Range[] =>
  matchesOf(BASIC, text).flatMap(({0: whole, 1: login = '', index}): Range[] =>
    isLogin(login.slice(0, 400)) ? [[index + whole.indexOf(login, 6), index + whole.length]] : [],
  )

const SECRET_OBJECT = /\bkind\\{0,8}["']?:[^\S\n]?\\{0,8}["']?Secret\b/
const STRING_DATA = /(?<![\w:])stringData\\{0,8}"?:[^\S\n]*[\n{]/g
const SECRET_DATA = /(?<![\w:])(?:stringData|data)\\{0,8}"?:[^\S\n]*[\n{]/g

/** In YAML and JSON, whatever its fields are called. Other objects have "data" too, but no "stringData". */
export function dataOfSecrets(text: string): Range[] {
  const reader = new ValueReader(text)
  const data = SECRET_OBJECT.test(text) ? SECRET_DATA : STRING_DATA
  let passed = 0
  for (const {0: whole, index} of matchesOf(data, text)) {
    const end = index + whole.length
    if (index < passed) continue
    passed = whole.endsWith('{') ? reader.hideMatch(/[^{}]+/y, end) : reader.indented(end - 1, index)
  }
  return reader.found
}

const BASE64_RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}/g
/** The last line of a wrapped block, too short to be recognised by itself. */
const WRAPPED_END = /\r?\n[^\S\n]{0,40}[A-Za-z0-9+/_-]{1,31}={0,2}(?=\s*$|\r?\n)/y

/** The runs of base64 that `isSecret` accepts. */
export const base64Runs =
  (isSecret: (run: string, hasSecret: HasSecret) => boolean) =>
  (text: string, hasSecret: HasSecret): Range[] =>
    matchesOf(BASE64_RUN, text).flatMap(({0: run, index}): Range[] => {
      const end = index + run.length
      return isSecret(run, hasSecret) ? [[index, endOf(WRAPPED_END, text, end) ?? end]] : []
    })

/** Whether a text that was decoded has a secret in it. */
export type HasSecret = (text: string) => boolean

/** A random run of this length is not a word, path, digest or name. */
const SHORTEST_RANDOM = 32
/** Kinds of letters change at six of ten places in random base64, and at two of ten in a name in camel case. */
const MANY_CHANGES = 0.42

/** Also if only a part of a path, or of a name with dashes, is random. */
export function isRandom(run: string): boolean {
  if (run.length < SHORTEST_RANDOM) return false
  return run.split(/[-_=]/).some((part) => {
    if (part.length < SHORTEST_RANDOM || !/\d/.test(part) || !/[A-Z]/.test(part) || !/[a-z]/.test(part)) return false
    return (part.match(/\d+|[A-Z]+|[a-z]+|[+/]+/g)?.length ?? 0) > part.length * MANY_CHANGES
  })
}

/** Shorter ones cannot hold a name and a secret. */
const SHORTEST_DECODED = 24
/** In binary data more than half of the bytes are unusual; in a password one may be. */
const MOST_STRANGE = 0.2
const STRANGE = /[^\0\t\n\r -~]/g

/** A run may begin with other letters, such as those of a path: all four offsets are tried. */
export function isEncodedSecret(run: string, hasSecret: HasSecret): boolean {
  return (
    run.length >= SHORTEST_DECODED &&
    [0, 1, 2, 3].some((offset) => {
      const bytes = Buffer.from(run.slice(offset), 'base64')
      // UTF-16, which PowerShell takes in base64, has zeros.
      const text = bytes.toString('utf8').replaceAll('\0', '')
      const strange = bytes.toString('latin1').match(STRANGE)?.length ?? 0
      return isPrivateKey(bytes) || (strange <= text.length * MOST_STRANGE && hasSecret(text))
    })
  )
}

/** DER: a sequence that begins with a version, as keys (PKCS #1, PKCS #8, SEC 1) and PKCS #12 do, and certificates do not. */
const isPrivateKey = (bytes: Buffer): boolean =>
  bytes.length > 30 && bytes[0] === 0x30 && bytes.subarray(1, 6).includes(Buffer.from([0x02, 0x01]))

const PERCENT_RUN = /[\w.~%+*()!-]{6,}/g

export const percentRuns = (text: string, hasSecret: HasSecret): Range[] =>
  (text.includes('%') ? matchesOf(PERCENT_RUN, text) : []).flatMap(({0: run, index}): Range[] => {
    const decoded = run.includes('%') ? withoutPercent(run) : run
    return decoded !== run && hasSecret(decoded) ? [[index, index + run.length]] : []
  })

function withoutPercent(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replaceAll(/%([2-7][0-9A-Fa-f])/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}
