// Secrets planted wherever a bundle looks, raw and in base64: not a byte of them is in what is handed on.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {createRedactor, redactAll} from '../../src/output/text/redact.js'
import {NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {
  bootstrapToken,
  type Canary,
  dockerAuth,
  execSecret,
  jwt,
  password,
  proxyUrl,
  sasUrl,
  serverUrl,
  sightings,
  signature,
  token,
} from '../secrets/canaries.js'
import {setupOn} from '../setup/in-process.js'
import {DiskHost} from '../steps/host-folder.js'
import {bundleOn, type Made} from './bundle-on.js'

const KEY: readonly Canary[] = NODE_CERTIFICATE.key
  .split('\n')
  .filter((line) => line.length > 40)
  .map((secret) => ({kind: 'client key', secret}))
const CANARIES = [token, jwt, bootstrapToken, password, signature, dockerAuth, execSecret, ...KEY]
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** As programs write them. */
const LINES = [
  `E0101 00:00:00.000001    1 x.go:1] Authorization: Bearer ${token.secret}`,
  `E0101 00:00:00.000002    1 x.go:1] using token ${jwt.secret} of the service account`,
  `E0101 00:00:00.000003    1 x.go:1] Get "${serverUrl}/api": proxy ${proxyUrl}`,
  `I0101 00:00:00.000004    1 x.go:1] downloading ${sasUrl}`,
  `I0101 00:00:00.000005    1 x.go:1] --token=${token.secret} --password=${JSON.stringify(password.secret)}`,
  `I0101 00:00:00.000006    1 x.go:1] {"auths":{"r.example.com":{"auth":"${dockerAuth.secret}"}}}`,
  `I0101 00:00:00.000007    1 x.go:1] join ${bootstrapToken.secret}`,
  `I0101 00:00:00.000008    1 x.go:1] config ${base64(`users: [{user: {token: "${token.secret}"}}]`)}`,
  `I0101 00:00:00.000009    1 x.go:1] path/${base64(`http_proxy=${proxyUrl} and more of it`)}`,
  `I0101 00:00:00.000010    1 x.go:1] ${base64(JSON.stringify({password: password.secret}))}`,
  `I0101 00:00:00.000011    1 x.go:1] key ${JSON.stringify(NODE_CERTIFICATE.key)}`,
  NODE_CERTIFICATE.key,
  `I0101 00:00:00.000012    1 x.go:1] client-key-data: ${base64(NODE_CERTIFICATE.key)}`,
  `I0101 00:00:00.000013    1 x.go:1] CLIENT_SECRET=${execSecret.secret}`,
].join('\n')

const host = DiskHost.empty()
let made: Made

beforeAll(async () => {
  await setupOn(host.dir)
  host.put(
    String.raw`k\flanneld.kubeconfig`,
    host
      .read(String.raw`k\kubeconfig`)
      .replace(/server: .*/, `server: ${JSON.stringify(serverUrl)}\n    proxy-url: ${JSON.stringify(proxyUrl)}`)
      .replace(
        / {2}user:\n[^]*$/,
        `  user: ${JSON.stringify({exec: {apiVersion: 'client.authentication.k8s.io/v1', command: 'x', env: [{name: 'CLIENT_SECRET', value: execSecret.secret}]}, token: token.secret})}\n`,
      ),
  )
  for (const [index, name] of ['flanneld', 'kubelet', 'kubeproxy', 'kube-proxy', 'k8s-win'].entries()) {
    host.put(String.raw`k\logs` + `\\${name}\\planted-${index}.log`, `${LINES}\nthe end\n`)
  }
  writeFileSync(host.file(String.raw`k\logs\kubelet\utf16.log`), Buffer.from(`\uFEFF${LINES}\n`, 'utf16le'))
  writeFileSync(host.file(String.raw`k\logs\kubelet\utf16-without-mark.log`), Buffer.from(`${LINES}\n`, 'utf16le'))
  const journal = String.raw`k\k8s-win\journal.ndjson`
  const entry = {
    kind: 'environment',
    name: 'HTTPS_PROXY',
    previous: proxyUrl,
    step: 'machine-environment',
    token: token.secret,
  }
  host.put(journal, `${host.read(journal)}${JSON.stringify(entry)}\n${LINES}\n`)
  const result = String.raw`k\k8s-win\result.json`
  host.put(
    result,
    JSON.stringify({log: LINES, password: password.secret, steps: [{env: [{name: 'API_TOKEN', value: jwt.secret}]}]}),
  )
  host.put(String.raw`k\kubelet-config.yaml`, `${host.read(String.raw`k\kubelet-config.yaml`)}\n# ${LINES}\n`)
  host.put(
    String.raw`etc\kube-flannel\net-conf.json`,
    `{"password": ${JSON.stringify(password.secret)}, "log": ${JSON.stringify(LINES)}}`,
  )
  host.put(String.raw`run\flannel\subnet.env`, LINES)
  writeFileSync(
    join(host.dir, 'transcript.ndjson'),
    `${readFileSync(join(host.dir, 'transcript.ndjson'), 'utf8')}${LINES}\n`,
  )
  host.edit((world) => {
    world.environment['HTTPS_PROXY'] = proxyUrl
    const key = Object.keys(world.registry).find((name) => /Session Manager\\Environment$/i.test(name)) ?? ''
    world.registry[key] = {...world.registry[key], HTTPS_PROXY: {data: proxyUrl, type: 'REG_SZ'}}
    const service = Object.keys(world.registry).find((name) => /Services\\kubelet$/i.test(name)) ?? ''
    world.registry[service] = {
      ...world.registry[service],
      Environment: {data: [`SECRET=${execSecret.secret}`, `HTTPS_PROXY=${proxyUrl}`], type: 'REG_MULTI_SZ'},
    }
    world.docker.httpsProxy = proxyUrl
    world.docker.containers.push({
      command: ['app', `--token=${token.secret}`, jwt.secret],
      exitCode: 0,
      id: 'c'.repeat(64),
      image: world.docker.images[0]?.id ?? '',
      labels: {
        'annotation.secret': password.secret,
        'io.kubernetes.pod.name': 'app',
        'io.kubernetes.token': token.secret,
      },
      name: 'app',
      state: 'running',
    })
    world.hns.endpoints.push({ID: 'E', Name: `e ${serverUrl}`, Policies: [{Password: password.secret}]})
    world.cluster.configMaps[0]!.data['extra'] = LINES
    world.adapters.push({...world.adapters[0]!, index: 99, name: `planted --token=${token.secret}`, up: false})
    world.os.eventLogs = {
      Application: [
        {at: 1_600_000_000_000, data: [LINES, `password: ${password.secret}`], id: 1, level: 2, provider: 'docker'},
      ],
    }
  })
  made = await bundleOn(host, {environment: {HTTPS_PROXY: proxyUrl, K8S_WIN_TOKEN: token.secret, http_proxy: proxyUrl}})
})

afterAll(() => host.discard())

describe('a bundle of a node full of secrets', () => {
  it('was made of what they were planted in', () => {
    expect(made.text('logs/kubelet/utf16.log')).toContain('the service account')
    for (const member of ['state/journal.ndjson', 'state/result.json', 'configuration/subnet.env']) {
      expect(made.text(member)).toContain('***')
    }
    expect(made.text('windows/events-application.ndjson')).toContain('downloading')
    expect(made.text('windows/services/kubelet.json')).toContain('SECRET=***')
    expect(made.text('docker/containers.json')).toContain('"io.kubernetes.pod.name": "app"')
    expect(made.text('hns/endpoints.json')).toContain('"Password": "***"')
    expect(made.text('cluster/flannel.json')).toContain('join ***')
    expect(made.text('network/interfaces.txt')).toMatch(/planted --token=\*\*\*/)
    expect([...made.members.keys()].filter((name) => name.includes('planted'))).toHaveLength(5)
  })

  it('has none of them, in any form, in any byte', () => {
    const found = [...made.members].flatMap(([name, bytes]) => [
      ...sightings(CANARIES, name, bytes.toString('utf8')),
      ...sightings(CANARIES, `${name} as UTF-16`, bytes.toString('utf16le')),
      ...sightings(CANARIES, 'its name', name),
    ])
    expect(found).toEqual([])
  })

  it('reports the proxy, without who goes through it', () => {
    const {machineProxies, processProxies} = JSON.parse(made.text('windows/environment.json')) as Record<string, object>
    expect(machineProxies).toEqual({HTTPS_PROXY: 'http://proxy.example.com:3128/'})
    expect(processProxies).toEqual({
      HTTPS_PROXY: 'http://proxy.example.com:3128/',
      http_proxy: 'http://proxy.example.com:3128/',
    })
  })

  it('would show them if they were not looked for', () => {
    expect(sightings(CANARIES, 'a log', LINES).length).toBeGreaterThan(CANARIES.length)
  })
})

describe('hiding', () => {
  const {redact} = createRedactor()

  it('finds a password in base64 at any offset, with anything around it', () => {
    fc.assert(
      fc.property(
        fc.string({maxLength: 20, minLength: 10, unit: fc.constantFrom(...'abcXYZ019')}),
        fc.string({maxLength: 9}),
        (secret, before) => {
          const encoded = base64(`${before.replaceAll(/[^ -~]/g, '')} password=${secret} `)
          expect(redact(`x ${encoded} y`)).toBe('x *** y')
        },
      ),
    )
  })

  it('knows the value of a flag in a list, and names that are short for a password', () => {
    const document = {
      args: ['--token', 'QQQ', '--password', '--v', '2', '-Password', 'QQQ', '--token-ttl', '5m'],
      db_pass: 'QQQ',
      files: ['--token-auth-secret-file', 'x.csv'],
      imagePath: String.raw`C:\d\dockerd.exe --password QQQ pw=QQQ --run-service`,
      pwd: 'QQQ',
      bypass: 'local',
    }
    expect(redactAll(document, redact)).toEqual({
      args: ['--token', '***', '--password', '--v', '2', '-Password', '***', '--token-ttl', '5m'],
      bypass: 'local',
      db_pass: '***',
      files: ['--token-auth-secret-file', 'x.csv'],
      imagePath: String.raw`C:\d\dockerd.exe --password *** pw=*** --run-service`,
      pwd: '***',
    })
  })

  it('leaves digests, ids and paths as they are', () => {
    const harmless = [
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      String.raw`C:\k\kubernetes\node\bin\kubelet.exe --config=C:\k\kubelet-config.yaml`,
      '/var/lib/kubelet/pods/3f2b1c0a-1111-2222-3333-444455556666/volumes/kubernetes.io~projected',
      'mcr.microsoft.com/windows/nanoserver:1809',
    ].join('\n')
    expect(redact(harmless)).toBe(harmless)
  })

  it('leaves JSON what it is, whatever is in it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const document: unknown = JSON.parse(JSON.stringify(JSON.parse(text)))
        const safe = redactAll({document, token: 'abcdefgh'}, redact)
        expect(JSON.parse(JSON.stringify(safe))).toEqual(safe)
      }),
    )
  })
})
