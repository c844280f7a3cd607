// Fetching a secret, with the real HTTP client, from the four stores on loopback: ready, late, expired, denied, throttled,
// malformed, slow and too large. What they say never shows a credential or the secret.
import {describe, expect, it} from 'vitest'
import {fetchSecret} from '../../../src/host/secrets/fetch-secret.js'
import {type Http, HttpError} from '../../../src/machine/http.js'
import {handClock} from '../../fakes/hand-clock.js'
import {only} from '../../fakes/partial.js'
import {CLIENT, fetchFrom, type Fetched, type Override, parsed, ROLE, SECRET, SOURCES} from './loopback-cloud.js'
import {isWhole} from '../../sample.js'

const isStore = (url: URL): boolean => url.hostname !== '169.254.169.254'
const sent =
  (status: number, body: string, headers: Record<string, string> = {}): Override =>
  (url, response) => {
    if (!isStore(url)) return false
    response.writeHead(status, headers).end(body)
    return true
  }

/** Nothing that was registered is in what people see. */
function shownOf({error, informed}: Fetched): string {
  return JSON.stringify([error?.message, error?.reason, error?.fix, error?.stack, informed])
}

function expectHidden(fetched: Fetched): void {
  for (const secret of fetched.registered) expect(shownOf(fetched)).not.toContain(secret)
}

/** Two stores of one cloud know a machine by the same identity: one of them is asked for as long as a run waits. */
const CLOUDS = SOURCES.filter(([cloud], nth) => SOURCES.findIndex(([one]) => one === cloud) === nth)

describe.each(SOURCES)('in %s, %s', (cloud, source) => {
  const once = it.runIf(isWhole || CLOUDS.some(([, one]) => one === source))

  it('is fetched, and every credential is hidden from then on', async () => {
    const {informed, registered, requests, secret, urls} = await fetchFrom({source})
    expect([secret, urls.length, informed]).toEqual([SECRET, 1, []])
    expect(registered).toContain(SECRET)
    const credentials = requests.flatMap(({headers = {}}) =>
      ['authorization', 'x-amz-security-token', 'x-aws-ec2-metadata-token'].flatMap((name) => headers[name] ?? []),
    )
    expect(credentials.length).toBeGreaterThan(0)
    const bearers = credentials.map((one) => one.replace(/^Bearer /, '')).filter((one) => !one.startsWith('AWS4'))
    for (const one of bearers) expect(registered).toContain(one)
    if (cloud === 'aws') expect(registered).toContain('simulatedSecretAccessKeyOfTheRole0123456')
  })

  it('asks the metadata service directly, the store through the proxy; nothing follows a redirect', async () => {
    const {requests} = await fetchFrom({source})
    for (const {deadlineMs, followRedirects, isDirect, maxBytes, url} of requests) {
      expect([isDirect, followRedirects]).toEqual([!isStore(new URL(url)), false])
      expect(Math.max(deadlineMs / 60, (maxBytes ?? Infinity) / 1024)).toBeLessThanOrEqual(512)
    }
  })

  it('is a text of a JSON object', async () => {
    const secrets = {[source]: JSON.stringify({'a.b': 'canary of a member', n: 1})}
    const {registered, secret} = await fetchFrom({metadata: {secrets}, source: `${source}#a.b`})
    expect(secret).toBe('canary of a member')
    expect(registered).toContain(secret)
    for (const key of ['n', 'none', '__proto__', 'toString']) {
      const refused = await fetchFrom({metadata: {secrets}, source: `${source}#${key}`})
      expect(refused.error?.id).toBe('SECRET_UNUSABLE')
      expectHidden(refused)
    }
  })

  once('waits for an identity, as long as it is ready within ten minutes', async () => {
    const late = await fetchFrom({metadata: {identityReadyAt: Date.UTC(2021, 9, 20, 0, 9)}, source})
    expect([late.secret, late.informed.length]).toEqual([SECRET, 1])
    expect(Math.max(...late.clock.slept)).toBe(30_000)
    const never = await fetchFrom({metadata: {identityReadyAt: Date.UTC(2021, 9, 20, 0, 12)}, source})
    expect([never.error?.id, never.urls]).toEqual(['SECRET_IDENTITY_MISSING', []])
    expect(never.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(645_000)
  })

  it('asks once more with other credentials where they have expired', async () => {
    const once = await fetchFrom({metadata: {secretFaults: ['expired']}, source})
    expect([once.secret, once.urls.length]).toEqual([SECRET, 2])
    const credentials = /\/security-credentials\/.|\/oauth2\/token\?|\/service-accounts\/default\/token$/
    expect(once.requests.filter(({url}) => credentials.test(url))).toHaveLength(2)
    const twice = await fetchFrom({metadata: {secretFaults: ['expired', 'expired']}, source})
    expect([twice.error?.id, twice.urls.length]).toEqual(['SECRET_UNREACHABLE', 2])
    expectHidden(twice)
  })

  it('malformed is final', async () => {
    const fetched = await fetchFrom({metadata: {secretFaults: ['malformed']}, source})
    expect([fetched.error?.id, fetched.urls.length, fetched.clock.slept]).toEqual(['SECRET_UNUSABLE', 1, []])
    expectHidden(fetched)
  })

  once('denied: waits for a permission that is new, and reports one that does not come', async () => {
    const late = await fetchFrom({metadata: {secretFaults: Array.from({length: 8}, () => 'denied' as const)}, source})
    expect([late.secret, late.urls.length, late.informed.length]).toEqual([SECRET, 9, 1])
    const never = await fetchFrom({metadata: {secretFaults: Array.from({length: 99}, () => 'denied' as const)}, source})
    expect(never.error?.id).toBe('SECRET_DENIED')
    expect(never.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(645_000)
    expectHidden(never)
  })

  once('waits as long where the clock of the machine is set meanwhile', async () => {
    for (const jumpMs of [-8 * 3_600_000, 8 * 3_600_000]) {
      const skewed = await fetchFrom({
        jumpMs,
        metadata: {secretFaults: Array.from({length: 6}, () => 'denied')},
        source,
      })
      if (cloud !== 'aws') expect(skewed.secret).toBe(SECRET)
      expect(skewed.urls.length).toBeGreaterThan(6)
    }
  })

  it('is not there', async () => {
    const secrets = {[`${source}-2`]: SECRET}
    expect((await fetchFrom({metadata: {secrets}, source})).error?.id).toBe('SECRET_NOT_FOUND')
  })

  it('throttled: waits as long as it is told to, and not longer than there is time', async () => {
    const {clock, secret} = await fetchFrom({metadata: {secretFaults: ['throttled']}, source})
    expect(secret).toBe(SECRET)
    if (cloud !== 'aws') expect(clock.slept).toEqual([7000])
    const override = sent(429, '{}', {'retry-after': '3600'})
    const fetched = await fetchFrom({override, source})
    expect([fetched.error?.id, fetched.clock.slept]).toEqual(['SECRET_UNREACHABLE', []])
  })

  it('waits for a network that is not up yet', async () => {
    const override: Override = (_url, response, _clock, nth) => {
      if (nth < 3) response.destroy()
      else if (nth === 3) response.writeHead(503).end()
      return nth <= 3
    }
    const {clock, informed, secret} = await fetchFrom({override, source})
    expect([secret, clock.slept]).toEqual([SECRET, [2000, 4000, 8000, 16_000]])
    expect(informed).toHaveLength(2)
  })

  it('takes an answer that comes just in time', async () => {
    const override: Override = (url, _response, clock) => {
      clock.advance(isStore(url) ? 29_000 : 9000)
      return false
    }
    const {clock, secret} = await fetchFrom({override, source})
    expect([secret, clock.slept]).toEqual([SECRET, []])
  })

  it('waits no longer where the store says so in the last minute', async () => {
    const override: Override = (url, response, clock) => {
      if (!isStore(url)) return false
      clock.advance(25_000)
      response.writeHead(429, {'retry-after': '400'}).end('{}')
      return true
    }
    const {clock, error, urls} = await fetchFrom({override, source})
    expect([error?.id, urls.length]).toEqual(['SECRET_UNREACHABLE', 3])
    expect(clock.now() - Date.UTC(2021, 9, 20)).toBeLessThan(660_000)
  })

  it.each([
    ['the store', isStore],
    ['the metadata service', (url: URL) => !isStore(url)],
  ])('%s accepts the connection and is silent', async (_, isSilent) => {
    const override: Override = (url, _response, clock) => {
      if (!isSilent(url)) return false
      clock.advance(60_000)
      return true
    }
    const fetched = await fetchFrom({override, source})
    expect(fetched.error?.id).toBe('SECRET_UNREACHABLE')
    expect(fetched.clock.now() - Date.UTC(2021, 9, 20)).toBeLessThan(900_000)
  })

  it.each([
    ['an error of its own', sent(503, 'down'), 'SECRET_UNREACHABLE'],
    ['a redirect', sent(302, '', {location: 'https://login.example/'}), 'SECRET_UNUSABLE'],
    ['more than any answer has', sent(200, `{"value":"${'x'.repeat(600 * 1024)}"}`), 'SECRET_UNUSABLE'],
    ['no JSON', sent(200, 'canary of a page'), 'SECRET_UNUSABLE'],
    [
      'JSON of another shape',
      sent(200, '{"Parameter":{"Value":1},"value":[],"payload":"x","SecretString":{}}'),
      'SECRET_UNUSABLE',
    ],
    ['an error with a text without end', sent(400, JSON.stringify({message: 'm'.repeat(100_000)})), 'SECRET_UNUSABLE'],
  ])('answers with %s', async (_, override, id) => {
    const fetched = await fetchFrom({override, source})
    expect(fetched.error?.id).toBe(id)
    expect(fetched.error?.reason.length).toBeLessThan(500)
    expect(shownOf(fetched)).not.toContain('canary')
  })

  it('is larger than any secret: nothing of it is kept', async () => {
    const fetched = await fetchFrom({metadata: {secrets: {[source]: 'x'.repeat(65 * 1024)}}, source})
    expect([fetched.error?.id, fetched.registered.some((text) => text.startsWith('xxx'))]).toEqual([
      'SECRET_UNUSABLE',
      false,
    ])
  })

  it('comes from a private endpoint, with the identity of the region all the same', async () => {
    const endpoint = {
      aws: `https://vpce-1.${source.includes('ssm') ? 'ssm' : 'secretsmanager'}.eu-central-1.vpce.amazonaws.com`,
      // There the name of the vault resolves to it.
      azure: 'https://k8s-vault.vault.azure.net',
      gce: 'https://secretmanager-k8s.p.googleapis.com',
    }[cloud]
    const {secret, urls} = await fetchFrom({endpoint, source})
    expect(secret).toBe(SECRET)
    expect(urls).toEqual([expect.stringMatching(new RegExp(`^${endpoint}/`))])
  })
})

it('Azure: an identity that is not assigned to the machine is waited for', async () => {
  const secrets = {'azure-kv:k8s-vault/join': SECRET}
  const fetched = await fetchFrom({metadata: {secrets}, source: `azure-kv:${CLIENT}@k8s-vault/join`})
  expect([fetched.error?.id, fetched.urls]).toEqual(['SECRET_IDENTITY_MISSING', []])
})

describe('sovereign clouds', () => {
  const says =
    (answers: Readonly<Record<string, string>>): Override =>
    (url, response) => {
      const found = Object.keys(answers).find((path) => url.pathname.endsWith(path))
      if (found === undefined) return false
      response.writeHead(200).end(answers[found])
      return true
    }

  it.each([
    [
      'aws-ssm:/a',
      {'placement/region': 'cn-north-1', 'services/domain': 'amazonaws.com.cn'},
      'https://ssm.cn-north-1.amazonaws.com.cn/',
    ],
    [
      'aws-sm:a',
      {'placement/region': 'us-iso-east-1', 'services/domain': 'c2s.ic.gov'},
      'https://secretsmanager.us-iso-east-1.c2s.ic.gov/',
    ],
    ['aws-ssm:arn:aws:ssm:eu-west-1:123456789012:parameter/a', {}, 'https://ssm.eu-west-1.amazonaws.com/'],
    [
      'gcp-sm:k8s-project/a',
      {'universe-domain': 's3nsapis.fr'},
      'https://secretmanager.s3nsapis.fr/v1/projects/k8s-project/secrets/a/versions/latest:access',
    ],
  ])('%s with %j', async (source, answers, url) => {
    expect((await fetchFrom({override: says(answers), source})).urls).toEqual([url])
  })

  /** `resources`: what tokens are asked for. */
  async function fetchIn(azEnvironment: string, endpoint?: string) {
    const resources: unknown[] = []
    const override: Override = (url, response) => {
      if (url.pathname.endsWith('/compute')) response.end(JSON.stringify({azEnvironment}))
      else if (url.pathname.endsWith('/token')) {
        resources.push(url.searchParams.get('resource'))
        response.end('{"access_token":"issued.for.it"}')
      } else return false
      return true
    }
    const trusted = endpoint === undefined ? [] : [new URL(endpoint).hostname]
    const {error, urls} = await fetchFrom({...(endpoint && {endpoint}), override, source: 'azure-kv:vault/a', trusted})
    return {error, resource: resources[0], url: urls[0]}
  }

  it.each([
    ['AzureChinaCloud', 'vault.azure.cn'],
    ['AZUREPUBLICCLOUD', 'vault.azure.net'],
    ['AzureUSGovernmentCloud', 'vault.usgovcloudapi.net'],
  ])('Azure: %s', async (azEnvironment, suffix) => {
    const {resource, url} = await fetchIn(azEnvironment)
    expect([resource, url]).toEqual([`https://${suffix}`, `https://vault.${suffix}/secrets/a?api-version=7.4`])
  })

  it.each([
    ['https://my-vault.vault.cloudapi.example', 'https://vault.cloudapi.example'],
    ['https://my-vault.vault.cloudapi.example:8443', 'https://vault.cloudapi.example'],
  ])('Azure: %s names the resource of a cloud that is not known', async (endpoint, resource) => {
    const fetched = await fetchIn('AzureElsewhere', endpoint)
    expect(fetched).toMatchObject({resource, url: `${endpoint}/secrets/a?api-version=7.4`})
  })

  it('Azure: the endpoint does not name the resource of a cloud that is known', async () => {
    const endpoint = 'https://my-vault.evil.example'
    expect(await fetchIn('AzurePublicCloud', endpoint)).toMatchObject({resource: 'https://vault.azure.net'})
  })

  it.each([undefined, 'https://10.0.0.5', 'https://[fd00::5]', 'https://vault', 'https://vault.example'])(
    'Azure: %s names no resource of a cloud that is not known',
    async (endpoint) => {
      const {error, resource, url} = await fetchIn('AzureElsewhere', endpoint)
      expect([error?.id, resource, url]).toEqual(['SECRET_UNUSABLE', undefined, undefined])
    },
  )

  it('Google Cloud before universes', async () => {
    const override: Override = (url, response) => {
      if (!url.pathname.endsWith('universe-domain')) return false
      response.writeHead(404).end('<html>')
      return true
    }
    expect((await fetchFrom({override, source: 'gcp-sm:k8s-project/join'})).secret).toBe(SECRET)
  })

  it.each([
    ['aws-ssm:/a', {'placement/region': 'evil.example/?'}],
    ['aws-ssm:/a', {'services/domain': 'evil.example#'}],
    ['aws-ssm:/a', {'services/domain': '1'}],
    ['aws-sm:a', {'services/domain': 'xn--a'}],
    ['azure-kv:vault/a', {'/compute': '{"azEnvironment":"toString"}'}],
    ['gcp-sm:k8s-project/a', {'universe-domain': 'a@evil.example'}],
  ])('%s: what the metadata service must not say (%j)', async (source, answers) => {
    const {error, urls} = await fetchFrom({override: says(answers), source})
    expect([error?.id, urls]).toEqual(['SECRET_UNUSABLE', []])
  })
})

describe('a secret as PowerShell writes files', () => {
  const text = `\uFEFF${JSON.stringify({token: SECRET})}\r\n`
  const wide = Buffer.from(text, 'utf16le').toString('base64')
  const marked = Buffer.from(text).toString('base64')

  it.each([
    ['aws-ssm:/a', {Parameter: {Value: text}}],
    ['aws-sm:a', {SecretString: text}],
    ['aws-sm:a', {SecretBinary: wide}],
    ['aws-sm:a', {SecretBinary: marked}],
    ['azure-kv:vault/a', {value: text}],
    ['gcp-sm:k8s-project/a', {payload: {data: wide}}],
    ['gcp-sm:k8s-project/a', {payload: {data: marked}}],
  ])('%s is read: %#', async (source, document) => {
    const override = sent(200, JSON.stringify(document))
    expect(await fetchFrom({override, source})).toMatchObject({secret: text.slice(1)})
    expect(await fetchFrom({override, source: `${source}#token`})).toMatchObject({secret: SECRET})
  })

  it.each([
    ['aws-sm:a', (data: string) => ({SecretBinary: data})],
    ['gcp-sm:k8s-project/a', (data: string) => ({payload: {data}})],
  ])('%s: other bytes', async (source, document) => {
    const fetched = await fetchFrom({override: sent(200, JSON.stringify(document('w/8='))), source})
    expect([fetched.error?.id, fetched.urls.length]).toEqual(['SECRET_UNUSABLE', 1])
  })
})

describe('the role of an instance', () => {
  const PATH = '/latest/meta-data/iam/security-credentials/'
  const given =
    (name: string, credentials: object): Override =>
    ({pathname}, response) => {
      if (!pathname.startsWith(PATH)) return false
      response.writeHead(200).end(pathname === PATH ? name : JSON.stringify(credentials))
      return true
    }

  it('does not trust EC2: what the metadata service says is shown', async () => {
    const credentials = {Code: 'AssumeRoleUnauthorizedAccess', Message: 'EC2 cannot assume the role k8s-nodes.'}
    const fetched = await fetchFrom({override: given('k8s-nodes', credentials), source: 'aws-ssm:/a'})
    expect(fetched.error?.id).toBe('SECRET_IDENTITY_MISSING')
    for (const text of Object.values(credentials)) expect(fetched.error?.reason).toContain(text)
    const long = await fetchFrom({override: given('a', {Code: 'x'.repeat(9999)}), source: 'aws-ssm:/a'})
    expect(long.error?.reason.length).toBeLessThan(500)
  })

  it('is asked for by its name as it is', async () => {
    const {accessKeyId, secretAccessKey, sessionToken} = ROLE
    const keys = {AccessKeyId: accessKeyId, Code: 'Success', SecretAccessKey: secretAccessKey, Token: sessionToken}
    const {requests, secret} = await fetchFrom({override: given('a+b=c,d.e@f-g_h\n', keys), source: 'aws-ssm:/a'})
    expect(secret).toBe(SECRET)
    expect(requests.map(({url}) => url)).toContain(`http://169.254.169.254${PATH}a+b=c,d.e@f-g_h`)
  })

  it.each(['', 'a b', 'a/b', 'a?b', '%61', 'x'.repeat(65), '<html>'])('is not "%s"', async (name) => {
    const {error, requests, urls} = await fetchFrom({override: given(name, {}), source: 'aws-ssm:/a'})
    expect([error?.id, urls]).toEqual(['SECRET_IDENTITY_MISSING', []])
    expect(requests.filter(({url}) => url.includes(PATH) && !url.endsWith(PATH))).toEqual([])
  })
})

it.each([
  ['ECONNREFUSED', 'SECRET_UNREACHABLE'],
  ['PROXY_UNABLE', 'SECRET_UNREACHABLE'],
  // The clock of a machine that has just started may not be set yet.
  ['CERT_NOT_YET_VALID', 'SECRET_UNREACHABLE'],
  ['CERT_HAS_EXPIRED', 'SECRET_UNREACHABLE'],
  ['PROXY_REFUSED', 'SECRET_UNUSABLE'],
  ['EPROTO', 'SECRET_UNUSABLE'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'SECRET_UNUSABLE'],
])('%s is %s, and waited for if it may pass', async (code, id) => {
  const clock = handClock()
  const http = only<Http>('http', {
    async request({url}) {
      throw new HttpError(url, code, 'no connection')
    },
  })
  const parts = {clock, http, inform() {}, register() {}, secretHosts: [], signal: new AbortController().signal}
  await expect(fetchSecret(parts, parsed('azure-kv:vault/a'))).rejects.toMatchObject({id})
  expect(clock.now() >= 600_000).toBe(id === 'SECRET_UNREACHABLE')
})

it('ends with the run that waits for it', async () => {
  const run = new AbortController()
  const http = only<Http>('http', {
    async request({url}) {
      run.abort(new Error('Ctrl-C'))
      throw new HttpError(url, 'ECONNREFUSED', 'closed')
    },
  })
  const parts = {clock: handClock(), http, inform() {}, register() {}, secretHosts: [], signal: run.signal}
  await expect(fetchSecret(parts, parsed('aws-ssm:/a'))).rejects.toThrow('Ctrl-C')
})
