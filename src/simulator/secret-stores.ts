// The identity of the simulated virtual machine, and the secret stores of its cloud, which judge requests as the real ones do.
// Sources are in src/host/secrets/; a signature is verified here by rules of its own (assumption
// cloud-secrets).
import {createHash, createHmac} from 'node:crypto'
import {json, type ModelResponse, type Stage} from './model.js'
import type {RouteRequest} from './routes.js'
import type {MetadataState, World} from './world.js'

const ACCESS_KEY = 'ASIASIMULATEDACCESSK'
const SECRET_KEY = 'simulatedSecretAccessKeyOfTheRole0123456'
const SESSION_TOKEN = 'IQoJsimulatedSessionTokenOfTheRole0123456789abcdef=='
const ROLE = 'k8s-nodes'
const REGION = 'eu-central-1'
/** AWS refuses a signature of another time (IAM User Guide, "Troubleshoot signed requests"). */
const LONGEST_SKEW_MS = 300_000
const VAULT = 'https://vault.azure.net'

/** Their public addresses, and private endpoints. One of Key Vault has the public name, as its certificate. */
const HOSTS: Readonly<Record<MetadataState['cloud'], RegExp | undefined>> = {
  aws: /^(?:vpce-[\w-]+\.)?(ssm|secretsmanager)\.(?:[a-z]+-)+\d\.(?:vpce\.)?amazonaws\.com$/,
  azure: /^([\da-z-]+)\.vault\.azure\.net$/,
  gce: /^(secretmanager)(?:-[\w-]+\.p)?\.googleapis\.com$/,
  openstack: undefined,
}

export function isSecretStore({os: {metadata}}: World, host: string): boolean {
  return metadata?.secrets !== undefined && HOSTS[metadata.cloud]?.test(host) === true
}

/** Undefined for a path that is not about the identity. */
export function answerIdentity(
  stage: Stage,
  {method, url}: Pick<RouteRequest, 'method' | 'url'>,
): ModelResponse | undefined {
  const {cloud, identityReadyAt = 0, secrets} = stage.world.os.metadata ?? {}
  if (method !== 'GET' || cloud === undefined || cloud === 'openstack') return undefined
  const isReady = secrets !== undefined && stage.now() >= identityReadyAt
  return IDENTITIES[cloud](url, isReady, Object.keys(secrets ?? {}))
}

/** `sources`: of all its secrets. */
type Identity = (url: URL, isReady: boolean, sources: readonly string[]) => ModelResponse | undefined
const text = (body: string): ModelResponse => ({body, status: 200})
const NOT_FOUND: ModelResponse = {body: '', status: 404}

const IDENTITIES: Readonly<Record<'aws' | 'azure' | 'gce', Identity>> = {
  aws({pathname}, isReady) {
    const path = pathname.replace('/latest/meta-data/', '')
    if (path === 'placement/region') return text(REGION)
    if (path === 'services/domain') return text('amazonaws.com')
    if (!path.startsWith('iam/security-credentials/')) return undefined
    if (!isReady) return NOT_FOUND
    if (path === 'iam/security-credentials/') return text(ROLE)
    const credentials = {AccessKeyId: ACCESS_KEY, SecretAccessKey: SECRET_KEY, Token: SESSION_TOKEN}
    return path.endsWith(`/${ROLE}`) ? json(200, {Code: 'Success', Type: 'AWS-HMAC', ...credentials}) : NOT_FOUND
  },
  azure({pathname, searchParams}, isReady, sources) {
    const version = searchParams.get('api-version')
    if (pathname === '/metadata/instance/compute')
      return version === null ? json(400, {error: 'Bad request'}) : json(200, {azEnvironment: 'AzurePublicCloud'})
    if (pathname !== '/metadata/identity/oauth2/token') return undefined
    if (version !== '2018-02-01') return json(400, {error: 'invalid_request', error_description: 'Required audience'})
    if (searchParams.get('resource') !== VAULT) return json(400, {error: 'invalid_resource'})
    const client = searchParams.get('client_id') ?? ''
    // A user-assigned identity is known by the source of a secret.
    const prefix = `azure-kv:${client}@`.toLowerCase()
    const isAssigned = client === '' || sources.some((source) => source.toLowerCase().startsWith(prefix))
    if (!isReady || !isAssigned) return json(400, {error: 'invalid_request', error_description: 'Identity not found'})
    return json(200, {access_token: tokenFor(client), token_type: 'Bearer'})
  },
  gce({pathname}, isReady) {
    if (pathname === '/computeMetadata/v1/universe/universe-domain') return text('googleapis.com')
    if (pathname !== '/computeMetadata/v1/instance/service-accounts/default/token') return undefined
    return isReady ? json(200, {access_token: tokenFor(''), expires_in: 3599, token_type: 'Bearer'}) : NOT_FOUND
  },
}

const tokenFor = (identity: string): string => `simulated-access-token.${identity}.0123456789abcdef`

interface Store {
  /** `code`: the error of AWS that stands for the status. */
  readonly fail: (status: number, code: string, message: string) => ModelResponse
  /** The key of the secret that is asked for, or the refusal. */
  readonly judge: (request: RouteRequest, now: number, place: string) => ModelResponse | string
  readonly value: (secret: string) => ModelResponse
}

const bearerOf = ({headers = {}}: RouteRequest): string =>
  /^Bearer (.*)$/.exec(headers['authorization'] ?? '')?.[1] ?? ''

const failAws: Store['fail'] = (status, code, message) => json(status === 429 ? 400 : status, {__type: code, message})
const failAzure: Store['fail'] = (status, code, message) => json(status, {error: {code, message}})
const failGcp: Store['fail'] = (status, code, message) => json(status, {error: {code: status, message, status: code}})

const STORES: Readonly<Record<string, Store>> = {
  aws: {
    fail: failAws,
    judge(request, now, service) {
      const refused = signatureProblem(request, now, service)
      if (refused !== undefined) return failAws(400, refused, 'The request signature does not match.')
      const {Name, SecretId, WithDecryption} = JSON.parse(request.body.toString('utf8')) as Record<string, unknown>
      const target = request.headers?.['x-amz-target']
      if (target === 'AmazonSSM.GetParameter' && service === 'ssm' && WithDecryption === true)
        return `aws-ssm:${String(Name)}`
      if (target === 'secretsmanager.GetSecretValue' && service === 'secretsmanager')
        return `aws-sm:${String(SecretId)}`
      return failAws(400, 'UnknownOperationException', '')
    },
    // Each reads its own field.
    value: (secret) => json(200, {Parameter: {Type: 'SecureString', Value: secret}, SecretString: secret}),
  },
  azure: {
    fail: failAzure,
    judge(request, _, vault) {
      const [, identity] = /^simulated-access-token\.([\da-f-]*)\.0123456789abcdef$/i.exec(bearerOf(request)) ?? []
      if (identity === undefined) return failAzure(401, 'Unauthorized', '')
      const [, name] = /^\/secrets\/([\da-z-]+)$/i.exec(request.url.pathname) ?? []
      if (!request.url.searchParams.has('api-version')) return failAzure(400, 'BadParameter', '')
      return `azure-kv:${identity && `${identity}@`}${vault}/${name}`
    },
    value: (secret) => json(200, {value: secret}),
  },
  gce: {
    fail: failGcp,
    judge(request) {
      if (bearerOf(request) !== tokenFor('')) return failGcp(401, 'UNAUTHENTICATED', '')
      const [, project, name] =
        /^\/v1\/projects\/([^/]+)\/secrets\/([^/]+)\/versions\/latest:access$/.exec(request.url.pathname) ?? []
      return `gcp-sm:${project}/${name}`
    },
    value: (secret) => json(200, {payload: {data: Buffer.from(secret).toString('base64')}}),
  },
}

const ANSWER_MS = 50

export async function answerSecretStore(stage: Stage, request: RouteRequest): Promise<ModelResponse> {
  const {cloud = 'aws', secretFaults = [], secrets = {}} = stage.world.os.metadata ?? {}
  await stage.elapse(ANSWER_MS)
  const store = STORES[cloud]
  if (!store) return NOT_FOUND
  const {fail, judge, value} = store
  const fault = secretFaults.shift()
  if (fault === 'throttled')
    return {...fail(429, 'ThrottlingException', 'Rate exceeded'), headers: {'retry-after': '7'}}
  if (fault === 'malformed') return {body: '<html>not what was asked for</html>', status: 200}
  if (fault === 'expired') return fail(cloud === 'aws' ? 400 : 401, 'ExpiredTokenException', 'The token has expired')
  const [, place = ''] = HOSTS[cloud]?.exec(request.url.hostname) ?? []
  const asked = judge(request, stage.now(), place)
  if (typeof asked !== 'string') return asked
  if (fault === 'denied') return fail(cloud === 'aws' ? 400 : 403, 'AccessDeniedException', `not authorized: ${asked}`)
  // Names of Azure are the same in any case, and an address has its vault in lower case.
  const spelling = (name: string): string => (cloud === 'azure' ? name.toLowerCase() : name)
  const [, secret] = Object.entries(secrets).find(([name]) => spelling(name) === spelling(asked)) ?? []
  if (secret !== undefined) return value(secret)
  return fail(
    cloud === 'aws' ? 400 : 404,
    asked.startsWith('aws-ssm') ? 'ParameterNotFound' : 'ResourceNotFoundException',
    '',
  )
}

/** The error of AWS; undefined for a request that the role has signed. */
function signatureProblem(
  {body, headers = {}, method, url}: RouteRequest,
  now: number,
  service: string,
): string | undefined {
  const form = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([\da-f]{64})$/
  const [, key, scope = '', names = '', signature] = form.exec(headers['authorization'] ?? '') ?? []
  if (key === undefined) return 'IncompleteSignature'
  if (key !== ACCESS_KEY || headers['x-amz-security-token'] !== SESSION_TOKEN) return 'UnrecognizedClientException'
  const time = headers['x-amz-date'] ?? ''
  const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
  const day = time.slice(0, 8)
  const [, region = ''] = /\.((?:[a-z]+-)+\d)\./.exec(url.host) ?? []
  const isAsked = scope === `${day}/${region}/${service}/aws4_request` && headers['host'] === url.host
  const signedNames = names.split(';')
  const isCovered = ['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target'].every((one) =>
    signedNames.includes(one),
  )
  if (!isAsked || !isCovered || !(Math.abs(now - at) < LONGEST_SKEW_MS)) return 'InvalidSignatureException'
  const lines = signedNames.map((name) => `${name}:${headers[name] ?? ''}`)
  const sha256 = (of: Buffer | string): string => createHash('sha256').update(of).digest('hex')
  const canonical = [method, url.pathname, url.search.slice(1), ...lines, '', names, sha256(body)].join('\n')
  const sign = (secret: Buffer | string, of: string): Buffer => createHmac('sha256', secret).update(of).digest()
  const derived = sign(sign(sign(sign(`AWS4${SECRET_KEY}`, day), region), service), 'aws4_request')
  const expected = sign(derived, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex')
  return signature === expected ? undefined : 'InvalidSignatureException'
}
