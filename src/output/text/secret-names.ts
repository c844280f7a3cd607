// Names whose values are secrets, however they are spelled: dbPassword, AWS_SECRET_ACCESS_KEY, tls.key, --registry-token.

/** Of a longer name only its end decides. */
const LONGEST_NAME = 120

/** Stems, without separators and in small letters. */
const STEMS = [
  'passw(?:or)?[dt]|passwd|passphrase|passcode|pwd|pword|kennwort|contrase[n\u00F1]a|senha|(?:bind|root|user|admin)pw',
  'secret|token|credential|authorization|connectionstring|connstr|dockerconfigjson|dockercfg|mnemonic|sess(?:ion)?id',
  '(?:access|account|admin|api|app|auth|certificate|client|decryption|deploy|encryption|function|gossip|hmac|host|join)key',
  '(?:license|master|preshared|primary|priv|private|product|recovery|secondary|secret|service|session|shared|sharedaccess)key',
  '(?:sign|signing|ssh|ssl|storage|subscription|tls|wireguard)key|psk|(?:sharedaccess|amz|goog)signature',
].join('|')
/** What may follow a stem: which one of several it is, or in what form it is written. */
const FORM = '(?:s|data|value|text|plain|plaintext|b64|base64|json|string|hash|content|raw|new|old|current|previous)?'
const ENDS_WITH_STEM = new RegExp(`(?:${STEMS})${FORM}\\d{0,2}$`)
/** "pass", "pw" and "pat" end ordinary words too, such as compass; so does ".key" only where it is a file's. */
const ENDS_WITH_WORD =
  /(?:^|[^A-Za-z0-9]|[a-z0-9](?=[A-Z]))(?:pass|pw|pat|PASS|PW|PAT|Pass|Pw|Pat)[-_]?\d{0,2}$|\w\.key$|^_auth$|^[Xx]-(?:[\w-]{1,60}-)?[Aa]uth$/
/** About a secret, not of it: tokens.count, password-policy. Those that end otherwise are no names of secrets at all. */
const QUICK =
  /pass|pw|pat|secret|token|cred|auth|key|conn|cfg|config|sess|mnemonic|psk|kennwort|contrase|senha|signature/i

export function isSecretName(name: string): boolean {
  const end = name.length > LONGEST_NAME ? name.slice(-LONGEST_NAME) : name
  if (!QUICK.test(end)) return false
  return ENDS_WITH_STEM.test(end.replaceAll(/[-_.$ ]/g, '').toLowerCase()) || ENDS_WITH_WORD.test(end)
}

/** What is written about secrets, not of them: "token: expired", "failed to fetch oauth token: Post …". */
const PROSE = new Set(
  [
    'a an and are as at but by can cannot could does for from has if in is it may must no not of on or should the to was',
    'were will with absent accepted available bad changed correct denied dial different disabled empty enabled error expired',
    'failed false flag flags found get given head ignored incorrect invalid mismatch missing n/a nil none null ok option optional',
    'post provided read refused rejected required revoked rotated same set stored true unauthorized unchanged undefined unknown',
    'unset used valid wrong yes <nil> *** nil) [] {} [redacted] <redacted>',
  ]
    .join(' ')
    .split(' '),
)

export const isProse = (value: string): boolean =>
  PROSE.has(value.toLowerCase().replace(/[.,;:)\]}"']{1,3}$/, '')) || PROSE.has(value)
