import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {createRedactor, redactAll} from '../../../src/output/text/redact.js'
import {LINES} from '../../signatures/lines/index.js'

const {redact} = createRedactor()

describe('registered secrets', () => {
  const secret = fc
    .string({maxLength: 60, minLength: 6, unit: 'grapheme'})
    .filter((value) => !/[*]/.test(value) && value.trim().length >= 6)
  const around = fc.string({maxLength: 30, unit: 'grapheme'})
  const forms: readonly {encode: (value: string) => string; name: string}[] = [
    {encode: (value) => value, name: 'raw'},
    {encode: (value) => Buffer.from(value).toString('base64'), name: 'base64'},
    {encode: (value) => Buffer.from(value).toString('base64url'), name: 'base64url'},
    {encode: (value) => encodeURIComponent(value), name: 'URL-encoded'},
    {encode: (value) => JSON.stringify(value).slice(1, -1), name: 'as JSON writes it'},
  ]

  test('never show up in the base64 of a longer text, wherever they stand in it', () => {
    fc.assert(
      fc.property(secret, around, around, (value, before, after) => {
        const bytes = Buffer.from(value)
        fc.pre(bytes.length >= 9 && bytes.toString() === value)
        const redactor = createRedactor()
        redactor.register(value)
        for (const form of ['base64', 'base64url'] as const) {
          const shown = redactor.redact(Buffer.from(`${before}${value}${after}`).toString(form))
          expect(shown).toContain('***')
          expect(Buffer.from(shown.split('***')[0] ?? '', form).toString()).not.toContain(value)
        }
      }),
    )
  })

  test.each(forms)('never show up: $name', ({encode}) => {
    fc.assert(
      fc.property(secret, around, around, (value, before, after) => {
        const redactor = createRedactor()
        redactor.register(value)
        const shown = redactor.redact(`${before} ${encode(value)} ${after}`)
        fc.pre(!before.includes(value) && !after.includes(value))
        expect(shown).not.toContain(encode(value))
        expect(shown).toContain('***')
      }),
    )
  })

  test('two that overlap leave neither whole', () => {
    const redactor = createRedactor()
    redactor.register('secret-one')
    redactor.register('secret-one-and-more')
    expect(redactor.redact('x secret-one-and-more y secret-one z')).toBe('x *** y *** z')
  })

  test('one of which nothing readable is left hides nothing, and ends', () => {
    const redactor = createRedactor()
    redactor.register('\u0001'.repeat(40))
    expect(redactor.redact('some text')).toBe('some text')
  })

  test('one too short to be a secret hides nothing', () => {
    const redactor = createRedactor()
    redactor.register('node')
    expect(redactor.redact('the node is Ready')).toBe('the node is Ready')
  })
})

describe('what looks like a secret', () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW06bm9kZSJ9.c2lnbmF0dXJl'
  const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----'
  test.each([
    {leak: 'abcdefgh12345678', name: 'bearer token', text: 'Authorization: Bearer abcdefgh12345678'},
    {leak: 'dXNlcjpwYXNz', name: 'basic authorization', text: 'authorization: Basic dXNlcjpwYXNz'},
    {leak: 'aHVudGVyOHBhc3M6', name: 'basic login alone', text: 'got Basic aHVudGVyOHBhc3M6aHVudGVyOHBhc3M= back'},
    {leak: 'OmFiY2RlZmdo', name: 'basic login without a name', text: 'Basic OmFiY2RlZmdo'},
    {leak: 'bWU6', name: 'short basic login in JSON', text: '{"header":"basic bWU6cA=="}'},
    {
      leak: Buffer.from('me:gr\u00FCn', 'latin1').toString('base64'),
      name: 'basic login in an old encoding',
      text: `Basic ${Buffer.from('me:gr\u00FCn', 'latin1').toString('base64')}`,
    },
    {leak: 'c2lnbmF0dXJl', name: 'JWT', text: `got ${jwt} from`},
    {leak: 'MIIEpAIBAA', name: 'PEM key', text: `key: ${pem} end`},
    {leak: 'c2lnbmF0dXJlPQ', name: 'signature in a URL', text: 'https://x.example.com/a?sv=1&sig=c2lnbmF0dXJlPQ&b=2'},
    {leak: 'AbCdEf123', name: 'amazon signature', text: 'https://x/a?X-Amz-Signature=AbCdEf123'},
    {leak: 'dXNlcjpwYXNz', name: "docker's login", text: '{"auths":{"r":{"auth":"dXNlcjpwYXNz"}}}'},
    {leak: 'dXNlcjpwYXNz', name: "docker's login in JSON", text: JSON.stringify('{"auth": "dXNlcjpwYXNz"}')},
    {leak: 'hunter2', name: 'password with letters of its own', text: 'http://bob:hunt/er?hunter2@proxy:3128/x'},
    {
      leak: 'hunter2',
      name: 'password in JSON in JSON',
      text: JSON.stringify(JSON.stringify({password: 'h er"hunter2'})),
    },
    {leak: 'MIIEpAIBAA', name: 'PEM key cut off', text: pem.slice(0, 60)},
    {leak: 'MIIEpAIBAA', name: 'PEM key in JSON', text: JSON.stringify({key: pem})},
    {
      leak: Buffer.from(pem).toString('base64').slice(20, 60),
      name: 'PEM key in base64',
      text: `x ${Buffer.from(pem).toString('base64')} y`,
    },
    {leak: 'c2VjcmV0', name: 'client-key-data', text: 'client-key-data: c2VjcmV0'},
    {leak: 'hunter2', name: 'URL userinfo', text: 'proxy http://me:hunter2@proxy:3128/path'},
    {leak: 'p@ss', name: 'URL userinfo with @', text: 'http://me:p@ss@proxy:3128/'},
    {leak: 'abc123xyz', name: 'token in YAML', text: 'token: abc123xyz'},
    {leak: 'abc 123', name: 'quoted token', text: '{"token": "abc 123"}'},
    {leak: '0123456789abcdef', name: 'bootstrap token', text: 'join with abcdef.0123456789abcdef now'},
    {
      leak: Buffer.from(jwt).toString('base64').slice(10, 40),
      name: 'JWT in base64',
      text: `data ${Buffer.from(jwt).toString('base64')}`,
    },
  ])('$name', ({leak, text}) => {
    expect(text).toContain(leak)
    expect(redact(text)).not.toContain(leak)
    expect(redact(text)).toContain('***')
  })

  // Each value that must not be seen has QQQ in it.
  test.each([
    ['kubectl --token QQQ1 --password QQQ2 get pods', 'kubectl --token *** --password *** get pods'],
    ['MY_API_KEY=QQQ1 ACCESS_KEY=QQQ2 passphrase=QQQ3', 'MY_API_KEY=*** ACCESS_KEY=*** passphrase=***'],
    ['AWS_SECRET_ACCESS_KEY=wJalrQQQ/K7MDENG', 'AWS_SECRET_ACCESS_KEY=***'],
    ['apiKey: QQQ, "secret_key": "QQQ 2"', 'apiKey: ***, "secret_key": "***"'],
    ['pwd: "QQQ pass"', 'pwd: "***"'],
    ['Server=db;Uid=sa;Pwd=QQQ;Timeout=5', 'Server=db;Uid=sa;Pwd=***;Timeout=5'],
    [
      String.raw`C:\d\dockerd.exe --password QQQ --run-service`,
      String.raw`C:\d\dockerd.exe --password *** --run-service`,
    ],
    [String.raw`C:\d\x.exe pw=QQQ -Password 'QQQ 2' -pw QQQ`, String.raw`C:\d\x.exe pw=*** -Password '***' -pw ***`],
    [
      'DB_PASS=QQQ TOKEN_2=QQQ --db-pass QQQ --registry-token "QQQ x"',
      'DB_PASS=*** TOKEN_2=*** --db-pass *** --registry-token "***"',
    ],
    ['["--token", "QQQ", "--v", "2"]', '["--token", "***", "--v", "2"]'],
    [JSON.stringify('["--token","QQQ"]'), String.raw`"[\"--token\",\"***\"]"`],
    [`& kubectl '--token' 'QQQ 1' get`, `& kubectl '--token' '***' get`],
    ['password := QQQ, password => QQQ', 'password := ***, password => ***'],
    ['pass: QQQ', 'pass: ***'],
    ['wifi pass: QQQ horse battery', 'wifi pass: *** horse battery'],
    ['user: bob, pass: QQQ', 'user: bob, pass: ***'],
    ['check disk: pass=QQQ', 'check disk: pass=***'],
    ['it did pass="QQQ"', 'it did pass="***"'],
    ['check disk: pass: ok, db_pass: QQQ, token: QQQ', 'check disk: pass: ok, db_pass: ***, token: ***'],
    ['["app","--password","QQQ","-p","QQQ 2"]', '["app","--password","***","-p","***"]'],
    [
      JSON.stringify('["docker","login","-u","me","-p","QQQ"]'),
      String.raw`"[\"docker\",\"login\",\"-u\",\"me\",\"-p\",\"***\"]"`,
    ],
    [JSON.stringify(['mysql', '-p', 'QQQ'], null, 2), '[\n  "mysql",\n  "-p",\n  "***"\n]'],
    ['docker login -u me -p QQQ registry.example', 'docker login -u me -p *** registry.example'],
    ['sqlcmd -S db -U sa -P QQQ -Q x', 'sqlcmd -S db -U sa -P *** -Q x'],
    ['pass: 3QQQ', 'pass: ***'],
    ['password: expiredQQQ', 'password: ***'],
    ['password: is.QQQ', 'password: ***'],
    ['password: 123', 'password: ***'],
    ['arn:aws:secretsmanager::secret:QQQ1', 'arn:aws:secretsmanager::secret:***'],
  ])('a value by its name: %s', (text, safe) => {
    expect(redact(text)).toBe(safe)
    expect(safe).not.toContain('QQQ')
  })

  test.each([
    'aws-sm:arn:aws:secretsmanager:eu-central-1:123456789012:secret:other-AbCdEf does not exist',
    'kubeadm token create --token-ttl 5m --kubeconfig admin.conf --v 2',
    '--bearer-token-file=/var/run/token --tls-private-key-file=C:\\k\\x.key',
    'pass: 3 checks, fail: 0',
    'check disk: pass: C: has 96 GB free of 127 GB',
    'check docker-service: pass: starts with Windows',
    'check node-name: pass: win-1',
    'the probe did pass: ok',
    "it will not pass: late; it doesn't pass: late",
    'Basic authentication is off; basic information: none; basic auth:basic; Basic Options; Basic Overview',
    '["docker","run","-u","1000","-p","8080:80","-p","127.0.0.1:53:53/udp","-p","8000-8010","x"]',
    'docker run --user me -p 80:8080 x; mkdir -p /var/log/x',
    '["mkdir","-p","/var/log/x"], ["docker-compose","-p","project","up"]',
    'pass=12 fail=0',
    'bypass=on, bypass: local, --bypass local, compass: north',
    'key=value, keys: 3, monkey=1, tokens: 7',
    'token: expired',
    'invalid bearer token, token: not found.',
    'the flag --token is deprecated; --token and --password are read from a file',
    '--password must be given; --token, --password',
    'kubectl --token --password',
    'secretName: registry-login, passwordless: yes',
    'three attempts to pass the token on',
    '["--token", "--password"]',
  ])('what is written about secrets stays: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  test.each([
    'Node win-1 is Ready (10.0.0.5, pods 10.244.3.0/24)',
    String.raw`C:\k\kubernetes\node\bin\kubelet.exe --windows-service --config=C:\k\kubelet-config.yaml`,
    'https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz',
    'sha256:c09a62523d76b32b883b6a9ee824c997b5c3cc8b3caebc8612c2f64fbbe97334',
    'mcr.microsoft.com/windows/nanoserver:1809',
    '2026-03-01T12:00:00.000Z',
  ])('ordinary text stays: %s', (text) => {
    expect(redact(text)).toBe(text)
  })

  // A pattern that looks back again and again would take hours, not milliseconds: the test would run out of time.
  test.each([
    'a',
    'a:',
    '?key',
    '&sig',
    'x://a:b',
    String.raw`token:\"`,
    'auth":"',
    'eyJ',
    '-----BEGIN PRIVATE KEY-----',
    'token:',
    '"',
    'x://',
    'LS0tLS1CRUdJTi',
    '-',
    '--token ',
    ' --a-token',
    '--token",',
    'token: is',
    'pass: 1',
    'did pass: ',
    'check a: pass: ',
    'basic ',
    'basic',
    'login ',
    '-p ',
    'login -p ',
    '"login","-p",',
    'access_',
  ])('long hostile text is done in time: %s', (piece) => {
    expect(redact(piece.repeat(20_000)).length).toBeLessThanOrEqual(piece.length * 20_000)
  })
})

test('a document is redacted text by text and keeps its shape', () => {
  const document = {list: ['token: abc123xyz', 5, null], nested: {ok: true, text: 'fine'}}
  expect(redactAll(document, redact)).toEqual({list: ['token: ***', 5, null], nested: {ok: true, text: 'fine'}})
})

describe('review S11: a secret right after its name, or in a well-known command', () => {
  test.each([
    ['<password value="QQQ"/> <token/> <a value="1"/>', '<password value="***"/> <token/> <a value="1"/>'],
    ['<password value="QQQ">QQQ</password>', '<password value="***">***</password>'],
    [JSON.stringify('<password value="QQQ"/>'), String.raw`"<password value=\"***\"/>"`],
    ['password = """QQQ""" # x', 'password = """***""" # x'],
    ['password = """\nQQQ "1"\nQQQ\n"""\nuser = 1', 'password = """***"""\nuser = 1'],
    ['token:\n\n  QQQ\nnext: 1', 'token:\n\n  ***\nnext: 1'],
    ['- password\n- aQQQ5678\n- --v', '- password\n- ***\n- --v'],
    ['using token "aQQQ5678" for bob', 'using token "***" for bob'],
    ['password "letterQQQ" is wrong', 'password "***" is wrong'],
    ['password aQQQ5678, apikey aQQQ5678; 3', 'password ***, apikey ***; 3'],
    ['setx TOKEN QQQ; setx /m "API_KEY" "QQQ 1"', 'setx TOKEN ***; setx /m "API_KEY" "***"'],
    [
      '    DefaultPassword    REG_SZ    QQQ QQQ\n    X    REG_SZ    y',
      '    DefaultPassword    REG_SZ    ***\n    X    REG_SZ    y',
    ],
    ['reg add HKLM /v "DefaultPassword" /t REG_SZ /d QQQ /f', 'reg add HKLM /v "DefaultPassword" /t REG_SZ /d *** /f'],
    ['ConvertTo-SecureString -String QQQ -AsPlainText', 'ConvertTo-SecureString -String *** -AsPlainText'],
    ['ConvertTo-SecureString QQQ -AsPlainText -Force', 'ConvertTo-SecureString *** -AsPlainText -Force'],
    ["ConvertTo-SecureString -AsPlainText 'QQQ 1' -Force", "ConvertTo-SecureString -AsPlainText '***' -Force"],
    ['schtasks /Create /RU bob /RP QQQ /TN x', 'schtasks /Create /RU bob /RP *** /TN x'],
    ['["schtasks","/RP","QQQ 1","/TN","x"]', '["schtasks","/RP","***","/TN","x"]'],
    [String.raw`net use Z: \\s\a QQQ /user:bob failed: 5`, String.raw`net use Z: \\s\a *** /user:bob failed: 5`],
    [String.raw`net use \\s\a /user:bob "QQQ 1"`, String.raw`net use \\s\a /user:bob "***"`],
    ['net user bob QQQ /add', 'net user bob *** /add'],
    ['mysql -u bob -pQQQ x; mkdir -path', 'mysql -u bob -p*** x; mkdir -path'],
    [`["mysqldump.exe","-pQQQ","x"] sshpass -p'QQQ 1'`, `["mysqldump.exe","-p***","x"] sshpass -p'***'`],
    ['X-Amz-Signature=QQQ', 'X-Amz-Signature=***'],
    ['    Key Content            : QQQ 1 QQQ', '    Key Content            : ***'],
  ])('%s', (text, safe) => {
    expect(redact(text)).toBe(safe)
    expect(safe).not.toContain('QQQ')
  })
})

describe('review S11: ordinary lines stay readable', () => {
  const text = LINES.map(({is}) => is)
  test.each([
    ...text.filter((line) => !/[?&](?:sig|token)=|password|Authorization/i.test(line)),
    'I1115 06:04:02.823958    1116 flags.go:59] FLAG: --authorization-mode="AlwaysAllow"',
    'I1115 06:04:02.823958    1116 flags.go:59] FLAG: --tls-private-key-file=""',
    'I1115 06:04:02.823958    1116 flags.go:59] FLAG: --rotate-certificates="false"',
    'I1115 06:04:02.823958    1116 flags.go:59] FLAG: --bootstrap-kubeconfig="C:\\k\\bootstrap-kubeconfig"',
    'E1115 06:04:02.823958    1116 kubelet.go:2291] "Error getting node" err="node \\"win-1\\" not found"',
    'W1115 x.go:1] MountVolume.SetUp failed for volume "kube-api-access-x7k2p" : object "default"/"kube-root-ca.crt" not registered',
    'I1115 x.go:1] "Pulling image" image="mcr.microsoft.com/windows/servercore@sha256:c09a62523d76b32b883b6a9ee824c997b5c3cc8b3caebc8612c2f64fbbe97334"',
    'I1115 x.go:1] "SyncLoop UPDATE" source="api" pods=[default/web-5d9c8f7b6d-x2x4z kube-system/coredns-78fcd69978-abcde]',
    'HNS network 5C1D4A2B-7E3F-4B1A-9C8D-1234567890AB: VSID 4096, key: value, name: vxlan0, value: 3',
    'apiVersion: kubelet.config.k8s.io/v1beta1\nauthentication:\n  anonymous:\n    enabled: false\n  webhook:\n    cacheTTL: 2m0s\nauthorization:\n  mode: Webhook',
    '{"cniVersion":"0.3.1","name":"vxlan0","type":"flannel","capabilities":{"portMappings":true}}',
    'C:\\Windows\\System32\\config\\systemprofile\\AppData\\Local\\Temp\\k8s-win-3f2b1c0a-1111-2222-3333-444455556666.tmp',
    'k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoopIteration(0xc000a4e000, 0xc0001b2060, 0x3f1d2a0)',
    'created by k8s.io/kubernetes/vendor/github.com/fsnotify/fsnotify.NewWatcherWithManyLetters',
    'S-1-5-21-3623811015-3361044348-30300820-1013 D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)',
    'Package_for_RollupFix~31bf3856ad364e35~amd64~~17763.2183.1.10.mum',
    'wrote 46 MB of 91 MB, 50%; 3 tokens, 2 passwords changed; the user has no password',
    'the cluster refuses the token (401 Unauthorized); check the credentials in C:\\k\\kubeconfig',
    'kubectl create clusterrolebinding win-1 --clusterrole=system:node --user=system:node:win-1',
    'step kubelet-service: changed after 1.2 s: sc create kubelet binPath= "C:\\k\\kubelet.exe --v=2" start= auto',
    '-----BEGIN CERTIFICATE----- is missing in C:\\k\\pki\\ca.crt',
    'token expired 10m ago; password is wrong; the password "expired"; token 3600seconds old, token 12345678',
    'the token abcdefgh of the serviceaccount default; the token of serviceaccount1 expired',
    'kubectl get secret web-tls-2024x -o yaml; kubectl get secrets abcdef12; kubectl create token default',
    'E1115 06:04:02.823958    1116 secret.go:195] Couldn\'t get secret kube-system/flannel-token-abc12: secret "flannel-token-abc12" not found',
    'E1115 x.go:1] MountVolume.SetUp failed for volume "default-token-x7k2p" : references non-existent secret "Registry12345"',
    'W1115 x.go:1] Unable to read token C:\\var\\run\\secrets\\token1, token https://10.0.0.10:6443/x1, token kube-system/default-token-x7k2p',
    'I1115 x.go:1] token 2026-03-01T12:00:00Z, credentials win-node-1.example.com, token 0xc000a4e000, token system:node:win-1',
    'unexpected token "}" in JSON; unknown token "abcdefghij"; resources: ["secrets", "configmaps2"]',
    'Join with this token:\n\n  kubeadm join 10.0.0.10:6443 --v 2',
    'Needs a password\n- item12345 is next',
    '    ProductName    REG_SZ    Windows Server 2019\n    AutoAdminLogon    REG_SZ    1',
    'ConvertTo-SecureString fails on Windows; ConvertTo-SecureString $text -AsPlainText; setx PATH C:\\k',
    'net use Z: \\\\server\\share /persistent:no; net use fails; net user bob exists; schtasks /RP * /TN x',
    'docker run -p3306:3306 mysql; docker run --name mysql -p3306:3306 x; mkdir -path; mysql -p -u bob',
    'the key content is read; content: text; <token/> <add name="x" value="3"/>',
  ])('%s', (line) => {
    expect(redact(line)).toBe(line)
  })
})

describe('review S15: a document of any depth', () => {
  const deep = (open: string, close: string): unknown => JSON.parse(`${open.repeat(50_000)}1${close.repeat(50_000)}`)

  test.each([
    ['lists', deep('[', ']')],
    ['objects', deep('{"a":', '}')],
    ['both', deep('[{"token":', '}]')],
  ])('of %s is cut, and can be written', (_, document) => {
    const safe = redactAll({document, kept: 'this'}, redact)
    expect(JSON.stringify(safe)).toContain('nested too deeply')
    expect(safe.kept).toBe('this')
  })
})
