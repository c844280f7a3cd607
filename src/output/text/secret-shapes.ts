// Finds secrets by their shape: keys, well-known tokens, passwords in URLs, and random letters that are not words.
import type {Range} from './value-reader.js'

/**
 * The prefixes that issuers give their tokens. Each pattern begins with rare letters and ends with one repetition, so that
 * a match consumes what it was tried on.
 */
const TOKENS = [
  // A JSON Web Token: base64 of {"
  String.raw`eyJ[\w-]{10,}(?:\.[\w-]*){0,4}`,
  String.raw`gh[opusr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat)-[\w.-]{16,}`,
  String.raw`xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w-]{10,}|hooks\.slack\.com/[\w/]{10,}`,
  String.raw`(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}|AIza[\w-]{30,}|ya29\.[\w.-]{16,}|GOCSPX-[\w-]{16,}|1//0[\w-]{20,}`,
  String.raw`(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=-]{16,}|sk-[A-Za-z0-9][\w-]{19,}`,
  String.raw`npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|dckr_[a-z]{3}_[\w-]{16,}|hv[sbr]\.[\w-]{16,}|SG\.[\w.-]{30,}`,
  String.raw`do[opr]_v1_[a-f0-9]{30,}|shp[a-z]{2}_[a-fA-F0-9]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{30,}|dapi[a-f0-9]{32}`,
  String.raw`webhooks?b?2?/[\w/@-]{30,}|K10[0-9a-f]{32,}::[\w:.-]{6,}`,
  // Negotiation of NTLM and Kerberos, a PEM block, and compressed data, whose contents are not visible.
  String.raw`TlRMTVNTUAA[\w+/=]{8,}|LS0tLS1CRUdJTi[\w+/=-]{8,}|H4sI[\w+/=-]{40,}`,
].join('|')
const TOKEN = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${TOKENS})`, 'g')
/** Tokens of kubeadm, Azure and Telegram, which begin with anything, are found by their middle; rare letters are tried first. */
const TOKEN_MIDDLE =
  /\.(?<=(?<![A-Za-z0-9])[a-z0-9]{6}\.)[a-z0-9]{16}(?![A-Za-z0-9])|Q~(?<=[\w~.-]{3}\dQ~)[\w~.-]{30,}|:AA(?<=\d{8}:AA)[\w-]{30,}/g
const LONGEST_BEGINNING = 10
/** Hashes of passwords as crypt(3) writes them. */
const CRYPT = /\$(?:1|2[abxy]?|5|6|7|y|apr1|argon2id?)\$[\w./$,=+-]{10,}/g
const MARKER = /-{4,5} ?(BEGIN|END) ([A-Za-z0-9 ]{0,40}?) ?-{4,5}/g
const PRIVATE = /private|secret|static key/i
/** The lines of a key, also with their ends escaped; its headers; up to what cannot be part of it. */
const KEY_HEADERS = /(?:(?:\\{0,4}[nr]|\s){1,4}[A-Za-z][\w-]{1,30}: [^\n\\"]{0,200}){0,6}/y
const KEY_LINE = /(?:\\{1,4}[nr]|["',+]|\s){0,40}(?!-)[A-Za-z0-9+/=]{16,}/y
const KEY_LAST_LINE = /(?:\\{1,4}[nr]|["',+]|\s){1,40}[A-Za-z0-9+/=]{1,15}(?![\w:.])/y
const KEY_LETTER = /[A-Za-z0-9+/=\s\\]/

/** Keys between BEGIN and END, also where the text begins or ends inside one. */
export function* keyBlocks(text: string): Generator<Range> {
  let begin: {readonly at: number; readonly isPrivate: boolean; readonly next: number} | undefined
  let last = 0
  const cutOff = function* (): Generator<Range> {
    if (begin?.isPrivate) yield [begin.at, keyEnd(text, begin.next)]
  }
  if (!text.includes('----')) return
  for (const match of text.matchAll(MARKER)) {
    const [whole, kind, label = ''] = match
    const next = match.index + whole.length
    if (kind === 'BEGIN') {
      yield* cutOff()
      begin = {at: match.index, isPrivate: PRIVATE.test(label), next}
    } else {
      if (begin ? begin.isPrivate : PRIVATE.test(label)) yield [begin?.at ?? keyStart(text, match.index, last), next]
      begin = undefined
    }
    last = next
  }
  yield* cutOff()
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

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

const LONGEST_LOGIN = 500

/** The user of a URL: everything up to the "@", also where a password has a "/" or a "?" that should be encoded. */
export function* logins(text: string): Generator<Range> {
  if (!text.includes('@')) return
  yield* bareLogins(text)
  const authority = /[^\s"'`<>/?#\\]*/y
  const name = /[^\s/?#@:]{1,100}:(?!\d{1,6}[/?#])/y
  let sign = -1
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const from = at + 3
    if (sign < from) sign = text.indexOf('@', from)
    if (sign === -1) return
    const end = endOf(authority, text, from) ?? from
    const own = text.slice(from, end).lastIndexOf('@')
    if (own >= 0) yield [from, from + own]
    else if (sign - from < LONGEST_LOGIN && endOf(name, text, from) !== undefined) {
      const stretch = /^[^\s"'`<>]*/.exec(text.slice(from, from + LONGEST_LOGIN))?.[0] ?? ''
      if (stretch.includes('@')) yield [from, from + stretch.lastIndexOf('@')]
    }
  }
}

/**
 * A proxy may be written without a scheme: a name, a colon and a password before a host with a port. Looked for from the host
 * back, and no letter twice, so that the time grows with the text only.
 */
function* bareLogins(text: string): Generator<Range> {
  let least = 0
  for (const {at} of runs(/@(?=[\w.-]{1,253}:\d{2,5}\b)/g, text)) {
    let from = at
    while (from > least && at - from < LONGEST_BARE_LOGIN && !/[\s"'`<>]/.test(text[from - 1] ?? '')) from--
    const start = text.slice(from, at).search(/(?<![^=,;({[])[^=@:/\\]{1,64}:./)
    if (start >= 0) yield [from + start, at]
    least = at + 1
  }
}

const LONGEST_BARE_LOGIN = 265

/** A Secret of Kubernetes, as YAML or JSON: whatever its data is called. */
export function* secretObjects(text: string): Generator<Range> {
  if (!/\bkind["']?:[^\S\n]?["']?Secret\b/.test(text)) return
  for (const {at, run} of runs(/"(?:data|stringData)":[^\S\n]?\{[^{}]*/g, text)) {
    yield [at + run.indexOf('{') + 1, at + run.length]
  }
  let inside = -1
  for (const {at, run} of runs(/[^\n]+/g, text)) {
    const depth = run.length - run.trimStart().length
    if (depth <= inside) inside = -1
    if (inside >= 0) {
      const name = /^\s*[\w.-]{1,253}:\s*/.exec(run)?.[0].length ?? depth
      if (name < run.length) yield [at + name, at + run.length]
    } else if (/^(?:stringData|data):\s*$/.test(run.trim())) inside = depth
  }
}

/** Tokens and encoded texts are in long runs of such letters, of which most lines have few or none. */
const LONG_RUN = /[\w.~+/=:@%*()!-]{16,}/g
const BASE64_RUN = /[A-Za-z0-9+/_-]{20,}={0,2}/g
const PERCENT_RUN = /[\w.~%+*()!-]{6,}/g
/** Shorter ones cannot hold a name and a secret. */
const SHORTEST_DECODED = 24
/** A random run of this length is not a word, path, digest or name. */
const SHORTEST_RANDOM = 32
/** Kinds of letters change at six of ten places in random base64, and at two of ten in a name in camel case. */
const MANY_CHANGES = 0.42

/**
 * Well-known tokens; encoded text in which `hasSecret` finds a secret after it was decoded; and random letters. A line of
 * base64 alone that follows such a line is hidden with it.
 */
export function shapes(text: string, hasSecret: (text: string) => boolean): Range[] {
  const found: Range[] = []
  let wrapped = -1
  for (const {at, run} of runs(LONG_RUN, text)) {
    for (const token of tokens(run)) found.push([at + token[0], at + token[1]])
    for (const inner of runs(BASE64_RUN, run)) {
      const from = at + inner.at
      const end = from + inner.run.length
      const isHidden =
        isRandom(inner.run) || (inner.run.length >= SHORTEST_DECODED && decodings(inner.run).some(hasSecret))
      if (!isHidden && from > wrapped) continue
      wrapped = isHidden ? (endOf(WRAPPED_END, text, end) ?? end) : end
      found.push([from, wrapped])
    }
    if (!run.includes('%')) continue
    for (const inner of runs(PERCENT_RUN, run)) {
      const decoded = inner.run.includes('%') ? withoutPercent(inner.run) : inner.run
      if (decoded !== inner.run && hasSecret(decoded)) found.push([at + inner.at, at + inner.at + inner.run.length])
    }
  }
  if (text.includes('$')) for (const {at, run} of runs(CRYPT, text)) found.push([at, at + run.length])
  return found
}

function tokens(run: string): Range[] {
  return [
    ...runs(TOKEN, run).map(({at, run: token}): Range => [at, at + token.length]),
    ...runs(TOKEN_MIDDLE, run).map(({at, run: token}): Range => {
      const before = /[\w~-]*$/.exec(run.slice(Math.max(0, at - LONGEST_BEGINNING), at))?.[0].length ?? 0
      return [at - before, at + token.length]
    }),
  ]
}

/** All at once, so that a pattern is not in use twice where decoded text is searched too. */
function runs(pattern: RegExp, text: string): {readonly at: number; readonly run: string}[] {
  const found: {at: number; run: string}[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) found.push({at: match.index, run: match[0]})
  return found
}

/** The last line of a wrapped block, too short to be recognised by itself. */
const WRAPPED_END = /\r?\n[^\S\n]{0,40}[A-Za-z0-9+/_-]{1,31}={0,2}(?=\s*$|\r?\n)/y

function isRandom(run: string): boolean {
  if (run.length < SHORTEST_RANDOM) return false
  // The random part of a path or a name with dashes.
  let [from, kinds, changes, last] = [0, 0, 0, 0]
  for (let at = 0; at <= run.length; at++) {
    const kind = kindOf(run.charCodeAt(at))
    if (kind === 0) {
      if (at - from >= SHORTEST_RANDOM && kinds === 7 && changes > (at - from) * MANY_CHANGES) return true
      ;[from, kinds, changes, last] = [at + 1, 0, 0, 0]
      continue
    }
    if (kind !== 8) kinds |= kind
    if (kind !== last) changes++
    last = kind
  }
  return false
}

/** 1, 2, 4 for the three kinds of letters, 8 for base64's own marks, 0 for what divides. */
function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 1
  if (code >= 0x41 && code <= 0x5a) return 2
  if (code >= 0x61 && code <= 0x7a) return 4
  return code === 0x2b || code === 0x2f ? 8 : 0
}

/** In binary data more than half of the bytes are unusual; in a password one may be. */
const MOST_STRANGE = 0.2

/** A run may begin with other letters, such as those of a path: all four offsets are tried. */
function decodings(run: string): string[] {
  return [0, 1, 2, 3].flatMap((offset) => {
    const all = Buffer.from(run.slice(offset), 'base64')
    if (isPrivateKey(withoutZeros(all.subarray(0, 100)))) return ['-----BEGIN PRIVATE KEY-----']
    return isText(all) ? [withoutZeros(all).toString('utf8')] : []
  })
}

/** Stops early: most runs are not text. */
function isText(bytes: Uint8Array): boolean {
  const most = bytes.length * MOST_STRANGE
  let [strange, zeros] = [0, 0]
  for (let at = 0; at < bytes.length && strange <= most; at++) {
    const byte = bytes[at] ?? 0
    if (byte === 0) zeros++
    else if ((byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) || byte > 0x7e) strange++
  }
  return strange <= (bytes.length - zeros) * MOST_STRANGE
}

/** UTF-16, which PowerShell takes in base64, has zeros. */
function withoutZeros(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes
  const rest = Buffer.alloc(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) rest[length++] = bytes[at] ?? 0
  return rest.subarray(0, length)
}

/** DER: a sequence that begins with a version, as keys (PKCS #1, PKCS #8, SEC 1) and PKCS #12 do, and certificates do not. */
function isPrivateKey(bytes: Buffer): boolean {
  return bytes.length > 30 && bytes[0] === 0x30 && bytes.subarray(1, 6).includes(Buffer.from([0x02, 0x01]))
}

function withoutPercent(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replaceAll(/%([2-7][0-9A-Fa-f])/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}
