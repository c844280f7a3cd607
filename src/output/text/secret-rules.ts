// Every rule by which text is recognised as a secret. Its examples show what it hides, between « and », and are its tests:
// each is hidden with the rule, and at least one is shown without it. Patterns begin with something rare and are bounded.
import {isProse, isSecretName} from './secret-names.js'
import type {SecretReader, Word} from './secret-reader.js'
import {
  bareLogins,
  base64Runs,
  basicLogins,
  dataOfSecrets,
  type HasSecret,
  isEncodedSecret,
  isRandom,
  keyBlocks,
  percentRuns,
  urlLogins,
} from './secret-shapes.js'
import {matchesOf, QUOTE, type Range, ValueReader} from './value-reader.js'

interface Rule {
  readonly examples: readonly string[]
  readonly name: string
}

/** Searches a whole text. */
export interface TextRule extends Rule {
  find(text: string, hasSecret: HasSecret): readonly Range[]
}

/** Reads the value of a word. The first one that fits a word is used. */
export interface WordRule extends Rule {
  is(word: Word, reader: SecretReader): boolean
  /** Returns where to read on. */
  read(reader: SecretReader, word: Word): number
}

export type SecretRule = TextRule | WordRule

/** All matches of a pattern, or of the group at its end. */
const matches =
  (pattern: RegExp): TextRule['find'] =>
  (text) =>
    matchesOf(pattern, text).map(({0: whole, 1: group = whole, index}) => {
      const end = index + whole.length
      return [end - group.length, end]
    })

const rule = (name: string, find: TextRule['find'], ...examples: readonly string[]): TextRule => ({
  examples,
  find,
  name,
})

/** `is` may be a pattern of the word's name. */
const word = (
  name: string,
  is: RegExp | WordRule['is'],
  read: WordRule['read'],
  ...examples: readonly string[]
): WordRule => ({examples, is: is instanceof RegExp ? (one) => is.test(one.name) : is, name, read})

/** A token of an issuer, by the letters it begins with. */
const token = (name: string, pattern: string, ...examples: readonly string[]): TextRule =>
  rule(name, matches(new RegExp(`(?<![A-Za-z0-9])(?:${pattern})`, 'g')), ...examples)

/** At the beginning of a word, also where the line end before it is escaped. Looked for from its rare letters back. */
const program = (name: string): string => String.raw`${name}(?<=(?:\b|\\[nrt])${name})(?:\.exe)?["']?`
const GAP = String.raw`[^\S\n]{1,8}`

/** The values behind a pattern; of one with a group only if that is a secret name. A value is not searched again. */
const valuesAfter =
  (pattern: RegExp, read = (reader: ValueReader, at: number) => reader.value(at)): TextRule['find'] =>
  (text) => {
    const reader = new ValueReader(text)
    let passed = 0
    for (const {0: whole, 1: name = 'secret', index} of matchesOf(pattern, text)) {
      if (index < passed || !isSecretName(name.replaceAll(/["'\\]/g, ''))) continue
      const value = read(reader, index + whole.length)
      if (value && !isProse(text.slice(value[0], Math.min(value[1], value[0] + 40)))) passed = reader.hide(value)
    }
    return reader.found
  }

/** A well-known command, whose password has no name of its own before it. */
const command = (name: string, before: string, ...examples: readonly string[]): TextRule =>
  rule(name, valuesAfter(new RegExp(before, 'gi')), ...examples)

const BEARER = /[^\S\n]{1,8}["']?(?!(?:token|auth|scheme|header|realm|challenge)\w*\b)[\w.~+/=-]{6,}/iy
const BEARER_GAP = /[^\S\n]{1,8}["']?/y
const SPACED_KEY = /(?:access|account|api|private|secret|shared|signing) $/i
/** "a private key: keep it" is a sentence. */
const UNUSUAL_NEXT = /[^\S\n]{0,8}[:=][^\S\n]{0,8}(?:["'`]|(?=\S{0,80}\d))/y

/** Before the name of a secret of AWS: what is behind it is no more than a name. */
const ARN_OF_SECRET = /\barn:[a-z-]{3,20}:secretsmanager:[a-z\d-]{1,30}:\d{12}:$/

export const SECRET_RULES: readonly SecretRule[] = [
  rule('private key', keyBlocks, '«-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc»\nit is cut off'),
  rule(
    'data of a Secret of Kubernetes',
    dataOfSecrets,
    'data:\n  «any: b25lCg==»\nkind: Secret',
    'stringData: {«any: X1»}',
  ),
  rule('login in a URL', urlLogins, 'proxy http://«me:hunter2»@proxy/path', 'http://«bob:hunt/er?2»@proxy/x'),
  rule('login of a proxy without a scheme', bareLogins, 'x «bob:p@ss»@proxy:3128 y', '=«bob:p,w;=x»@proxy:3128'),
  rule(
    'login of a proxy without a port',
    valuesAfter(
      /proxy["']?(?:[^\S\n]?[=:][^\S\n]?|[^\S\n])\\{0,8}["']?(?=[^\s"'`<>@/:]{1,64}:(?!\/\/))/gi,
      (reader, at) => reader.upTo(/[^\s"'`<>]{1,265}(?=@)/y, at),
    ),
    'HTTPS_PROXY=«bob:X1»@proxy',
    'CONNECT failed: proxy «bob:X@1»@proxy.example.com',
  ),
  // Azure, AWS and others have signatures and keys there, under nearly any such name. The "&" may be escaped.
  rule(
    'parameter of a URL',
    matches(
      /(?:[?&]|&amp;|\\u0026)(?=[\w.$-]{0,120}(?:sig|token|secret|key|pass|pwd|code|credential|auth|session|assertion))[\w.$-]{1,120}=([^&#\s"'<>\\]+)/gi,
    ),
    'https://x.example.com/a?sv=1&sig=«X1»&b=2',
    'https://x.example.com/a?sv=1&amp;code=«X1»',
  ),
  rule('basic login', basicLogins, 'got Basic «Ym9iOng=» back'),
  rule('base64 of a secret', base64Runs(isEncodedSecret), 'config «cGFzc3dkOiB4eHh4eHggeQ==» read'),
  rule('random letters', base64Runs(isRandom), 'saw «wJalrXUtnFEMI/K7MDENG+bPxRfiCYzQ9aB3cD5e» there'),
  rule('URL-encoded secret', percentRuns, 'x=«a%3Fpassword%3Dhunter2%26b»'),
  rule(
    'hash of a password, as crypt(3) writes it',
    matches(/\$(?:1|2[abxy]?|5|6|7|y|apr1|argon2id?)\$[\w./$,=+-]{10,}/g),
    'root:«$6$abcdefgh$ijklmnopqrst»:1:0',
  ),

  token('JSON Web Token', String.raw`eyJ[\w-]{10,}(?:\.[\w-]*){0,4}`, 'got «eyJhbGciOiJub25l.eyJzdWIiOiJ4.c2ln» from'),
  token('bootstrap token', String.raw`[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9])`, 'join «abcdef.0123456789abcdef» now'),
  token('k3s', String.raw`K10[0-9a-f]{32,}::[\w:.-]{6,}`, `join «K10${'0a'.repeat(16)}::server:0123ab»`),
  token('GitHub', String.raw`gh[opusr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}`, '«ghp_0aB1cD2eF3gH4iJ5»'),
  token(
    'GitLab',
    String.raw`gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat)-[\w.-]{16,}`,
    '«glpat-0aB1cD2eF3gH4iJ5»',
  ),
  token('Slack', String.raw`xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w-]{10,}`, 'as «xoxb-1234567890-abc»'),
  token(
    'web hook',
    String.raw`hooks\.slack\.com/[\w/]{10,}|webhooks?b?2?/[\w/@-]{30,}`,
    'https://«hooks.slack.com/services/T0AB»',
  ),
  token('AWS', '(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}', 'as «AKIAABCDEFGHIJKLMNOP»,'),
  token(
    'Google',
    String.raw`AIza[\w-]{30,}|ya29\.[\w.-]{16,}|GOCSPX-[\w-]{16,}|1//0[\w-]{20,}`,
    'got «ya29.a-b-c-d-e-f-g-h-i»',
  ),
  token('Azure', String.raw`[\w~.-]{3,40}\dQ~[\w~.-]{30,}`, `as «abC8Q~${'-ab'.repeat(10)}»`),
  token('Telegram', String.raw`\d{8,10}:AA[\w-]{30,}`, `bot «12345678:AA${'-ab'.repeat(10)}»`),
  token(
    'Stripe and OpenAI',
    String.raw`(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[\w+/=-]{16,}|sk-[A-Za-z0-9][\w-]{19,}`,
    'with «sk_live_0123456789»',
  ),
  token(
    'npm, PyPI and Docker Hub',
    String.raw`npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|dckr_[a-z]{3}_[\w-]{16,}`,
    'as «dckr_pat_abcdefghijklmnop»',
  ),
  token('Vault and SendGrid', String.raw`hv[sbr]\.[\w-]{16,}|SG\.[\w.-]{30,}`, 'vault «hvs.abcdefghijklmnop»'),
  token(
    'age, DigitalOcean, Shopify and Databricks',
    'AGE-SECRET-KEY-1[A-Z0-9]{30,}|do[opr]_v1_[a-f0-9]{30,}|shp[a-z]{2}_[a-fA-F0-9]{30,}|dapi[a-f0-9]{32}',
    `as «dapi${'0a'.repeat(16)}»`,
  ),
  token(
    'base64 of NTLM, of a PEM block and of compressed data, whose contents are not visible',
    String.raw`TlRMTVNTUAA[\w+/=]{8,}|LS0tLS1CRUdJTi[\w+/=-]{8,}|H4sI[\w+/=-]{40,}`,
    'sent «TlRMTVNTUAABAAAAAAAA»',
  ),

  command(
    'setx',
    String.raw`${program('setx')}${GAP}(?:/m${GAP})?\\{0,8}["']?([\w.$-]{1,120})(?:\\{0,8}["'])?${GAP}`,
    'setx TOKEN «X1»; setx /m "API_KEY" "«X 1»"',
  ),
  rule(
    'reg query',
    valuesAfter(
      /REG_(?<=(\S{1,120})[^\S\n]{1,60}REG_)(?:(?:EXPAND_|MULTI_)?SZ|BINARY)[^\S\n]{1,60}(?!\/d\s)/gi,
      (reader, at) => {
        const value = reader.value(at)
        return value && [value[0], Math.max(value[1], reader.restOfLine(at))]
      },
    ),
    'DefaultPassword    REG_SZ    «X 1»\nX    REG_SZ    y',
  ),
  command(
    'reg add',
    String.raw`REG_(?<=(\S{1,120})${GAP}/t${GAP}REG_)(?:(?:EXPAND_|MULTI_)?SZ|BINARY)${GAP}/d${GAP}`,
    'reg add HKLM /v "DefaultPassword" /t REG_SZ /d «X1» /f',
  ),
  // The value may be before or after -AsPlainText. Without quotes or a parameter it is a sentence about the command.
  command(
    'ConvertTo-SecureString',
    String.raw`${program('ConvertTo-SecureString')}(?:${GAP}-(?:AsPlainText|Force|String)\b){0,3}${GAP}(?![$(|)-])(?:(?<=-(?:AsPlainText|Force|String)${GAP})|(?=${QUOTE}|[^\s"']{1,400}${GAP}-(?:AsPlainText|Force|Key|SecureKey)\b))`,
    'ConvertTo-SecureString -String «X1» -AsPlainText',
    'ConvertTo-SecureString «X1» -AsPlainText -Force',
  ),
  // "*" prompts.
  command(
    'schtasks',
    String.raw`/rp(?<=[\s"']/rp)(?:${GAP}|\\{0,8}["'],?[^\S\n]{0,8}(?=\\{0,8}["']))(?![/*])`,
    'schtasks /Create /RU bob /RP «X1» /TN x',
  ),
  command(
    'net use',
    String.raw`${program('net1?')}${GAP}use${GAP}(?=(?:\*|[a-z]:|["']?\\\\)[^\n|&;>]{1,400}\s/u(?:ser)?:)(?:(?:\*|[a-z]:|"\\\\[^"\n]{1,200}"|'?\\\\[^\s|&;>]{1,200}|/[^\s|&;>]{1,200})${GAP}){1,8}(?![/*|&;>]|[a-z]:\s|["']?\\\\)`,
    String.raw`net use Z: \\s\a «X1» /user:bob`,
    String.raw`net use \\s\a /user:bob "«X 1»"`,
  ),
  command(
    'net user',
    String.raw`${program('net1?')}${GAP}user${GAP}[^\s/]{1,100}${GAP}(?=[^\s/*]\S{0,200}${GAP}/)`,
    'net user bob «X1» /add',
  ),
  command('kubectl create secret', String.raw`--from-literal[=\s]["']?[\w.-]{1,253}=`, '--from-literal=any=«X1» -n x'),
  command(
    'password from a pipe',
    String.raw`${program('echo')}${GAP}(?=[^\n|]{1,400}\|[^\n|]{1,200}--password-stdin\b)`,
    'echo «X1» | docker login -u bob --password-stdin',
  ),
  command('user of a URL in Go', String.raw`url\.UserPassword\("[^"\n]{0,100}", ?`, 'url.UserPassword("bob", "«X1»")'),
  rule(
    'element of XML in HTML',
    valuesAfter(/&lt;([\w.:-]{1,120})&gt;/gi, (reader, at) => reader.upTo(/[^\n]{1,400}?(?=&lt;)/y, at)),
    '&lt;password&gt;«X 1»&lt;/password&gt;',
  ),
  // Of ODBC.
  rule('password in brackets', matches(/(?<=\b(?:pwd|password)=\{)[^{}\n]{1,200}(?=\})/gi), 'PWD={«X 1»};Driver=y'),
  rule(
    'key of PuTTY',
    matches(/(?<=\bPrivate-Lines: \d{1,3}\n)(?:[A-Za-z0-9+/=]{1,80}\n)+/g),
    'Private-Lines: 1\n«AAAA\n»Private-MAC: x',
  ),
  // Right behind -p; -P is a port, and a port of Docker has a colon.
  rule(
    'password behind -p',
    valuesAfter(
      /-p(?<=(?:[Mm]y[Ss][Qq][Ll]|MYSQL|[Mm]aria[Dd][Bb]|MARIADB|sshpass)[^|;&\n]{0,200}[\s"']-p)(?![\s,\]-]|\\|["'][\s,\]]|[\d-]{1,11}:\d)/g,
    ),
    'mysql -u bob -p«X1» x',
    `sshpass -p'«X 1»'`,
  ),

  word(
    'secret name of two words',
    ({after, name, start}, reader) =>
      /^keys?$/i.test(name) &&
      SPACED_KEY.test(reader.before(start, 10)) &&
      (name.length > 3 || reader.at(UNUSUAL_NEXT, after) !== undefined),
    (reader, one) => reader.secret(one),
    'Access key: «X1»',
    'the API key = "«X»"',
  ),
  word(
    'name of a pair',
    /^(?:name|key|variable|header|property|field|setting)$/i,
    (reader, {after}) => reader.nameOfPair(after),
    '{"name":"API_TOKEN","value":"«X1»"}',
    '{"Value": "«X1»", "Key": "db-password"}',
  ),
  word(
    'key of a wireless network, as netsh prints it',
    ({name, start}, reader) => /^content$/i.test(name) && /\bkey $/i.test(reader.before(start, 5)),
    (reader, one) => reader.secret({...one, isFlag: false, start: one.start - 4}),
    '    Key Content            : «X 1»',
  ),
  word(
    'value of a pair',
    /^(?:value|val|content|data|string|text|plaintext)$/i,
    (reader, {after}) => reader.valueOfPair(after),
    '- name: API_TOKEN\n  value: «X1»',
  ),
  word(
    'header',
    /^(?:proxy-|x-forwarded-)?authorization$|^(?:set-)?cookie2?$/i,
    (reader, one) => reader.header(one),
    'Authorization: Digest «username="bob", response="x"»',
    'Cookie: «session=x; theme=dark»',
  ),
  word(
    'scheme of a header',
    /^(?:bearer|negotiate|ntlm)$/i,
    (reader, {after}) => reader.hideMatch(BEARER, after, reader.at(BEARER_GAP, after)),
    'sent Bearer «abcdef»',
  ),
  word(
    'flag -p of a login',
    ({isFlag, name}, {login}) => isFlag && /^(?:[pP]|rp)$/.test(name) && login,
    (reader, {after}) => reader.flagValue(after, true),
    'docker login -u me -p «X1» registry.example',
  ),
  word(
    'user and password',
    ({isFlag, name}) => isFlag && /^(?:u|user|proxy-user|creds)$/i.test(name),
    (reader, {after}) => reader.userAndPassword(after),
    'curl -u bob:«X1» https://example.com/',
  ),
  word(
    'flag --auth of crictl',
    ({isFlag, name}) => isFlag && /^auth$/i.test(name),
    (reader, {after}) => reader.hideMatch(BEARER, after, reader.at(BEARER_GAP, after)),
    'crictl pull --auth «dXNlcjpw» x',
  ),
  word("login in Docker's config.json", /^auth$/i, (reader, {after}) => reader.auth(after), '{"auth":"«dXNlcjpw»"}'),
  word(
    'secret name',
    ({isSecret, name, start}, reader) =>
      isSecret && !(name === 'secret' && ARN_OF_SECRET.test(reader.before(start, 100))),
    (reader, one) => reader.secret(one),
    'DB_PASSWORD=«X1»',
    'token: «X1»',
    '--token «X1» --v 2',
    '<password>«X1»</password>',
  ),
]
