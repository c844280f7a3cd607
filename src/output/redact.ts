// Keeps secrets out of everything that is shown or logged: those that were registered, and whatever looks like one.

export type Redact = (text: string) => string

export interface Redactor {
  readonly redact: Redact
  /** From now on this text is hidden: as it is, in base64 (also of a longer text), URL-encoded and as JSON writes it. */
  register(secret: string): void
}

const HIDDEN = '***'

/** Shorter ones would hide ordinary words; nothing that short protects anything. */
const SHORTEST_SECRET = 6

/** In quotes, also where they are escaped because the text was put into another, or up to what ends a bare one. */
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|(?<escapes>\\+)"[^]{0,4000}?(?<!\\)\k<escapes>"|'[^']*'|[^\s"',;}\]]+`
/** Before a verb: what comes after "will pass" is no password. */
const AUXILIARY = String.raw`(?:\b(?:can|cannot|could|did|do|does|may|might|must|not|shall|should|will|would)|n't)`
/** Also at the end of a longer name, such as AWS_SECRET_ACCESS_KEY; "pass" and "pw" end ordinary words too. */
const NAMES = [
  'client-key-data',
  '(?:pass(?:word|wd|phrase|code)|pwd|secret|token)(?:[-_]?[0-9]{1,2})?',
  '(?:account|access|api|secret)[-_ ]?key',
  // "pass: 3 checks" counts; "check disk: pass: 96 GB free", as our own logs say it, and "did pass: ok" tell.
  String.raw`(?<![a-z0-9])(?:pw|pass(?![\s:=]{1,3}[0-9]{1,3}(?:[\s,;.)]|$)|: (?<=(?:\bcheck [\w-]{1,40}:|${AUXILIARY}) pass: )))`,
].join('|')
/** What is written about secrets, not of them: "token: expired", "--token is deprecated". */
const PROSE = [
  'a|an|and|are|as|at|but|by|can|cannot|could|does|for|from|has|if|in|is|it|may|must|no|not|of|on|or|should|the|to|was',
  'were|will|with|absent|denied|empty|expired|false|flag|flags|found|given|invalid|missing|nil|none|null|option|optional',
  'rejected|required|revoked|set|true|unauthorized|undefined|unknown|unset',
].join('|')
/** Between a flag and its value; each may be in quotes, as in a list in JSON: "--token", "X". */
const GAP = String.raw`(?:[^\S\n]+(?!-)|\\*["'](?:,\s*|[^\S\n]+)(?=\\*["'](?!-)))`
/** Before a -p on the same command line or in the same list: then it is a password, and elsewhere a port, a path, a project. */
const LOGIN = String.raw`(?<![\w-])(?:login|(?:mysql|mariadb|mongo)\w{0,10}|sqlcmd|sshpass|-u|--?[\w-]{0,20}?(?:user(?:name)?|pass(?:word)?))(?![\w-])`
const PORTS = String.raw`\\*["']?(?:[\d.]{7,15}:)?(?:(?:\d{1,5}(?:-\d{1,5})?)?:)?\d{1,5}(?:-\d{1,5})?(?:\/\w{3,4})?(?:[\\"'\s,\]]|$)`
const SECRET_VALUE = String.raw`(?!(?:${PROSE})[.,;:)]{0,3}(?:\s|$))(?:${VALUE})`

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, HIDDEN],
  // A PEM block in base64, as kubeconfigs hold it, starts with "-----BEGIN ".
  [/LS0tLS1CRUdJTi[\w+/-]+={0,2}/g, HIDDEN],
  // A JSON Web Token, and one in base64.
  [/\beyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [/\bZXlK[\w+/-]{16,}={0,2}/g, HIDDEN],
  [/\b(bearer\s+)[\w.~+/=-]{6,}/gi, `$1${HIDDEN}`],
  [/\b(authorization["']?[^\S\n]*[:=][^\S\n]*["']?(?:\w+[^\S\n]+)?)[^\s"']+/gi, `$1${HIDDEN}`],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]+@/gi, `$1${HIDDEN}@`],
  // A password whose own "/" or "?" was not encoded.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:]{1,100}:(?!\d+[/?#])[^\s"']{1,500}@/gi, `$1${HIDDEN}@`],
  // Signatures and keys in a URL's query, as Azure, AWS and others have them.
  [/([?&][\w.-]{0,40}(?:sig|token|secret|key|pass|code|credential|auth)[\w.-]{0,40}=)[^&#\s"']+/gi, `$1${HIDDEN}`],
  // Docker's config.json.
  [/(\bauth\\*["']\s*:\s*\\*["'])[\w+/=-]+/gi, `$1${HIDDEN}`],
  [new RegExp(String.raw`((?:${NAMES})\\*["']?\s*(?::=?|==?>?)\s*)${SECRET_VALUE}`, 'gi'), `$1${HIDDEN}`],
  // "--token X", "-Password X".
  [new RegExp(String.raw`((?<![\w-])--?[\w-]{0,40}?(?:${NAMES})${GAP})${SECRET_VALUE}`, 'gi'), `$1${HIDDEN}`],
  // "docker login -u me -p X"
  [
    new RegExp(
      String.raw`((?<![\w-])-p(?<=${LOGIN}(?:[^\]\n;|&]|,\n){1,500}-p)${GAP})(?!${PORTS})${SECRET_VALUE}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A bootstrap token of kubeadm.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, HIDDEN],
]

/** Also a word after "basic" may look like base64: only what is in it tells. */
const BASIC = /\b(basic\s+)([\w+/-]{6,}={0,2})/gi

/** A name, a colon and a password, which may be in any encoding, or cut off; without a name it must be readable. */
const isLogin = (base64: string): boolean =>
  /^(?:[^\p{Cc}\uFFFD]+:\P{Cc}*|:[^\p{Cc}\uFFFD]+)$/u.test(Buffer.from(base64, 'base64').toString('utf8'))

export function createRedactor(): Redactor {
  let forms: string[] = []
  return {
    redact(text) {
      let safe = text
      for (const form of forms) safe = safe.replaceAll(form, HIDDEN)
      for (const [pattern, replacement] of PATTERNS) safe = safe.replaceAll(pattern, replacement)
      return safe.replaceAll(BASIC, (text, scheme: string, login: string) =>
        isLogin(login) ? `${scheme}${HIDDEN}` : text,
      )
    },
    register(secret) {
      if (secret.length < SHORTEST_SECRET) return
      // Longest first: a short form inside a long one must not leave the rest of it behind.
      forms = [...new Set([...forms, ...formsOf(secret)])].sort((a, b) => b.length - a.length)
    },
  }
}

/** A copy of a document in which every text is redacted: before it is wrapped or encoded, which could cut a secret in two. */
export function redactAll<T>(document: T, redact: Redact): T {
  return JSON.parse(
    JSON.stringify(document, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value)),
  ) as T
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // A lone surrogate, which has no URL form, becomes the replacement character on the way through UTF-8.
  const wellFormed = bytes.toString('utf8')
  const encoded = encodeURIComponent(wellFormed)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    ...[0, 1, 2].flatMap((before) => base64Inside(bytes, before)),
    encodeURI(wellFormed),
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]
}

/** Fewer letters would turn up by chance. */
const SHORTEST_INSIDE = 8

/** In the base64 of a longer text, with so many bytes before it: the letters that do not depend on what is around. */
function base64Inside(bytes: Buffer, before: number): string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const inner = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
  if (inner.length < SHORTEST_INSIDE) return []
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}
