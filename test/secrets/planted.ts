// Secrets of every shape, each in the words of whoever writes it. A shape is given what must not be seen and returns the text
// it stands in; most are ordinary words, so that nothing but what is around them says what they are.

export interface Shape {
  readonly name: string
  /** The secret itself; most shapes take any. */
  readonly secret?: (seed: number) => string
  readonly text: (secret: string) => string
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The same for the same seed, and as random as a key. */
export function random(seed: number, length: number, letters = LETTERS): string {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0
  return Array.from({length}, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return letters[(state >>> 8) % letters.length]
  }).join('')
}

const HEX = '0123456789abcdef'
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789'
const lines = (text: string, width: number): string => (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n')
const KLOG = 'I0101 00:00:00.000001    1 x.go:1] '

const NAMED: readonly (readonly [name: string, text: (secret: string) => string])[] = [
  ['variable', (s) => `DB_PASSWORD=${s}`],
  ['variable of PowerShell', (s) => `$env:REGISTRY_TOKEN = "${s}"`],
  ['YAML', (s) => `registryPassword: ${s}`],
  ['YAML with blanks', (s) => `passphrase: correct ${s} battery`],
  ['INI file', (s) => `[x]\naws_secret_access_key = ${s}`],
  ['JSON', (s) => JSON.stringify({clientSecret: s, user: 'bob'})],
  ['JSON in JSON', (s) => JSON.stringify({log: JSON.stringify({password: s})})],
  ['name and value in JSON', (s) => `env: [{"name":"API_TOKEN","value":"${s}"},{"name":"B","value":"b"}]`],
  ['value and name in JSON', (s) => `tags: [{"Value": "${s}", "Key": "db-password"}]`],
  ['name and value in YAML', (s) => `env:\n- name: API_TOKEN\n  value: ${s}\n- name: B\n  value: b`],
  ["name and value in Go's struct", (s) => `Env:[{Name:API_TOKEN Value:${s} ValueFrom:nil}]`],
  ["name and value in Go's source", (s) => `[]v1.EnvVar{v1.EnvVar{Name:"API_TOKEN", Value:"${s}"}}`],
  ["Go's map", (s) => `map[password:${s} user:bob]`],
  ['XML element', (s) => `<config><password>${s}</password></config>`],
  ['answer file of Windows', (s) => `<AdministratorPassword>\n  <Value>${s}</Value>\n</AdministratorPassword>`],
  ['XML attributes', (s) => `<add key="ServicePassword" value="${s}" />`],
  ['property list', (s) => `<key>ApiToken</key>\n<string>${s}</string>`],
  ['cookie', (s) => `Cookie: session=${s}; theme=dark`],
  ['new cookie', (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly`],
  ['block scalar', (s) => `password: |\n  first\n  ${s}\nnext: 1`],
  ['folded scalar', (s) => `list:\n- token: >-\n    ${s}\n  next: 1`],
  ['scalar on the next line', (s) => `clientSecret:\n    ${s}\nnext: 1`],
  ['block scalar in JSON', (s) => JSON.stringify(`password: |\n  ${s}\nnext: 1\n`)],
  ['file of a key in YAML', (s) => `tls.key: |\n  ${s}\ntls.crt: x`],
  ['credential', (s) => `credential: ${s}`],
  ['credentials inside', (s) => `{"credentials":{"value":"${s}"}}`],
  ['private_key', (s) => `{"type":"service_account","private_key":"${s}"}`],
  ['connection string', (s) => `Server=db;Uid=sa;Pwd=${s};Timeout=5`],
  ['account key', (s) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${s};EndpointSuffix=y`],
  ['parameters of PowerShell', (s) => `Set-ItemProperty -Path HKLM:\\x -Name DefaultPassword -Value ${s} -Type String`],
  [
    'parameters, the value first',
    (s) => `New-ItemProperty x -Value '${s}' -PropertyType String -Name "DefaultPassword"`,
  ],
  ['cells of CSV', (s) => `a,b\n"password","${s}"\n"x","y"`],
  ['cells of CSV with a quote', (s) => `"password","a""${s}"`],
  ['a quote that is doubled', (s) => `password="a""${s}"`],
  ['JSON in a cell of CSV', (s) => `1,"{""password"": ""${s}"", ""x"": 1}",y`],
  ['netrc', (s) => `machine example.com login bob password ${s}`],
  ['header of its own', (s) => `X-Api-Key: ${s}`],
  ['Authorization', (s) => `Authorization: Token ${s}`],
  ['Authorization with Digest', (s) => `Authorization: Digest username="bob", response="${s}"`],
  ['headers as Go prints them', (s) => `map[Accept:[*/*] Authorization:[Bearer ${s}]]`],
  ['form', (s) => `grant_type=x&client_secret=${s}&scope=y`],
  ['flag', (s) => `kubeadm join --token ${s} --v 2`],
  ['flag of PowerShell', (s) => `Connect-X -Password '${s}' -User bob`],
  ['flag in JSON', (s) => `["kubectl","--token","${s}","get"]`],
  ['flag in YAML', (s) => `args:\n- --registry-password\n- ${s}\n- --v`],
  ['docker login', (s) => `docker login -u bob -p ${s} registry.example`],
  ['curl', (s) => `curl -u bob:${s} https://example.com/`],
  ['secure string', (s) => `ConvertTo-SecureString "${s}" -AsPlainText -Force`],
  ['password in prose', (s) => `the new password is "${s}"`],
  ['URL', (s) => `proxy http://bob:${s}@proxy.example.com:3128/x`],
  ['proxy without a scheme', (s) => `HTTPS_PROXY=bob:a@${s}@proxy.example.com:3128`],
  ['URL with marks', (s) => `http://bob:a/${s}?b@proxy.example.com:3128/x`],
  ['signature in a URL', (s) => `https://x.blob.core.windows.net/a?sv=2021&sig=${s}&b=1`],
  ['key in a URL', (s) => `GET /maps?key=${s} HTTP/1.1`],
  ['base64', (s) => `config ${base64(`server: x\npassword: ${s}\nuser: bob\n`)} read`],
  ['base64 of base64', (s) => base64(base64(`{"token": "${s}", "user": "bob"}`))],
  [
    'encoded command',
    (s) => `powershell -EncodedCommand ${Buffer.from(`$password = "${s}"`, 'utf16le').toString('base64')}`,
  ],
  ['wrapped base64', (s) => lines(base64(`users:\n- name: kubernetes-admin\n  user:\n    token: ${s}\n`), 64)],
  ['URL-encoded', (s) => `redirect=${encodeURIComponent(`a?password=${s}&b=1`)}`],
  ['Secret of Kubernetes', (s) => `apiVersion: v1\ndata:\n  config: ${base64(s)}\nkind: Secret`],
  ['Secret of Kubernetes in JSON', (s) => `{"kind":"Secret","data":{"config":"${base64(s)}"},"x":1}`],
  ["docker's config.json", (s) => JSON.stringify({auths: {r: {auth: base64(`bob:${s}`)}}})],
  ['basic login', (s) => `got Basic ${base64(`bob:${s}`)} back`],
]

const pem = (label: string, secret: string): string =>
  `-----BEGIN ${label}-----\n${lines(`MIIE${secret}`, 64)}\n-----END ${label}-----`
const key = (seed: number): string => random(seed, 150)

const shaped: readonly Shape[] = [
  {name: 'RSA key', secret: key, text: (s) => pem('RSA PRIVATE KEY', s)},
  {name: 'encrypted key', secret: key, text: (s) => pem('ENCRYPTED PRIVATE KEY', s)},
  {name: 'PGP key', secret: key, text: (s) => pem('PGP PRIVATE KEY BLOCK', `\nVersion: 1\n\n${s}`)},
  {name: 'key in JSON', secret: key, text: (s) => JSON.stringify({k: pem('PRIVATE KEY', s)})},
  {name: 'end of a key', secret: key, text: (s) => `${lines(s, 64)}\n-----END PRIVATE KEY-----\nafter`},
  {name: 'beginning of a key', secret: key, text: (s) => `-----BEGIN PRIVATE KEY-----\n${lines(s, 64)}`},
  {name: 'lines of a key in a log', secret: (n) => random(n, 64), text: (s) => `${KLOG}read\n${KLOG}${s}\n${KLOG}done`},
  {name: 'key in base64', secret: key, text: (s) => `client-key-data: ${base64(pem('EC PRIVATE KEY', s))}`},
  {name: 'GitHub', secret: (n) => `ghp_${random(n, 36)}`, text: (s) => `cloning with ${s} now`},
  {name: 'GitHub, fine-grained', secret: (n) => `github_pat_${random(n, 40)}`, text: (s) => `using (${s})`},
  {name: 'GitLab', secret: (n) => `glpat-${random(n, 20)}`, text: (s) => `remote: ${s}`},
  {name: 'Slack', secret: (n) => `xoxb-${random(n, 10, HEX)}-${random(n, 24)}`, text: (s) => `slack ${s}`},
  {
    name: 'Slack hook',
    secret: (n) => `T0AB/B0CD/${random(n, 24)}`,
    text: (s) => `https://hooks.slack.com/services/${s}`,
  },
  {name: 'AWS id', secret: (n) => `AKIA${random(n, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`, text: (s) => `as ${s},`},
  {name: 'AWS secret alone', secret: (n) => random(n, 40), text: (s) => `keys: x ${s}`},
  {name: 'Google API', secret: (n) => `AIza${random(n, 35)}`, text: (s) => `with ${s}`},
  {name: 'Google OAuth', secret: (n) => `ya29.${random(n, 60)}`, text: (s) => `got ${s}`},
  {name: 'Azure application', secret: (n) => `abC8Q~${random(n, 34)}`, text: (s) => `as ${s}`},
  {name: 'npm', secret: (n) => `npm_${random(n, 36)}`, text: (s) => `//registry.npmjs.org/ ${s}`},
  {name: 'Docker Hub', secret: (n) => `dckr_pat_${random(n, 27)}`, text: (s) => `pull as ${s}`},
  {name: 'Vault', secret: (n) => `hvs.${random(n, 24)}`, text: (s) => `vault ${s}`},
  {name: 'age', secret: (n) => `AGE-SECRET-KEY-1${random(n, 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`, text: (s) => s},
  {name: 'Stripe', secret: (n) => `sk_live_${random(n, 24)}`, text: (s) => `stripe ${s}`},
  {
    name: 'JSON Web Token',
    secret: (n) => `eyJ${random(n, 30)}.${random(n + 1, 40)}.${random(n + 2, 40)}`,
    text: (s) => `as ${s}`,
  },
  {
    name: 'kubeadm',
    secret: (n) => `${random(n, 6, LOWER)}.${random(n + 1, 16, LOWER)}`,
    text: (s) => `join with ${s} now`,
  },
  {name: 'k3s', secret: (n) => `K10${random(n, 64, HEX)}::server:${random(n + 1, 32, HEX)}`, text: (s) => `join ${s}`},
  {name: 'hash of a password', secret: (n) => `$6$${random(n, 8)}$${random(n + 1, 86)}`, text: (s) => `root:${s}:1:0`},
]

/** Letters and digits: these shapes have nothing but a word before a value, or the command it is given to. */
const mixed = (seed: number): string => `x7${random(seed, 8)}`
const BESIDE_ITS_NAME: readonly (readonly [name: string, text: (secret: string) => string])[] = [
  ['attribute of an element', (s) => `<password value="${s}"/>`],
  ['attribute of an element with an end', (s) => `<db><password id="1" value='${s}'></password></db>`],
  ['three quotes', (s) => `password = """${s}"""`],
  ['three quotes over lines', (s) => `token = '''\n${s}\n'''\nnext = 1`],
  ['empty line before the value', (s) => `token:\n\n  ${s}\nnext: 1`],
  ['item of a list after its name', (s) => `- password\n- ${s}`],
  ['list in JSON after its name', (s) => `["apikey", "${s}"]`],
  ['quoted after its name', (s) => `using token "${s}"`],
  ['password after its name', (s) => `password ${s}`],
  ['key after its name', (s) => `apikey ${s}`],
  ['variable of Windows', (s) => `setx TOKEN ${s} /M`],
  ['registry', (s) => `    DefaultPassword    REG_SZ    ${s}`],
  ['new value in the registry', (s) => `reg add HKLM\\X /v DefaultPassword /t REG_SZ /d ${s} /f`],
  ['secure string without quotes', (s) => `ConvertTo-SecureString -String ${s} -AsPlainText`],
  ['secure string, parameters first', (s) => `ConvertTo-SecureString -AsPlainText -Force "${s}"`],
  ['task', (s) => `schtasks /Create /RU bob /RP ${s} /TN x`],
  ['share', (s) => `net use Z: \\\\server\\share ${s} /user:bob`],
  ['share, user first', (s) => `net use \\\\server\\share /user:bob ${s}`],
  ['user', (s) => `net user bob ${s} /add`],
  ['mysql', (s) => `mysql -h db -u bob -p${s} x`],
  ['mysql.exe', (s) => `C:\\x\\mysqldump.exe -p"${s}"`],
  ['signature of Amazon', (s) => `X-Amz-Signature=${s}`],
  ['wireless network', (s) => `    Key Content            : ${s}`],
]

export const SHAPES: readonly Shape[] = [
  ...NAMED.map(([name, text]) => ({name, text})),
  ...shaped,
  ...BESIDE_ITS_NAME.map(([name, text]) => ({name, secret: mixed, text})),
]

/** An ordinary word that no two plants share. */
export const word = (seed: number): string => `winter${random(seed, 8, 'abcdefghijklmnopqrstuvwxyz')}garden`
