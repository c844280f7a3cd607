// Parameter Store and Secrets Manager of AWS, with the role of the instance (EC2 User Guide, "Use IMDSv2" and "Retrieve
// security credentials from instance metadata"; API references of GetParameter and GetSecretValue, "Errors").
import type {SecretSource} from '../../config/model.js'
import {at, parseJson, textAt} from '../document.js'
import {
  ask,
  askMetadata,
  type Asking,
  decoded,
  demandSecretHost,
  errorIn,
  type Lack,
  nameIn,
  NoSecret,
  type SecretStore,
} from './ask.js'
import {type AwsCredentials, signed} from './aws-signature.js'

interface Action {
  readonly body: (name: string) => object
  readonly service: string
  readonly target: string
  readonly value: (document: unknown) => unknown
}

const PARAMETER: Action = {
  body: (Name) => ({Name, WithDecryption: true}),
  service: 'ssm',
  target: 'AmazonSSM.GetParameter',
  value: (document) => at(document, 'Parameter', 'Value'),
}
const SECRET: Action = {
  body: (SecretId) => ({SecretId}),
  service: 'secretsmanager',
  target: 'secretsmanager.GetSecretValue',
  value(document) {
    const binary = textAt(document, 'SecretBinary')
    return binary === '' ? at(document, 'SecretString') : decoded(binary)
  },
}

/** Credentials that are new are not known everywhere yet; a clock may be wrong until it is set after the start of Windows. */
const OF_CODE: readonly (readonly [RegExp, Lack])[] = [
  [/ExpiredToken/, 'expired'],
  [/Throttl|TooManyRequests|InvalidSignature|SignatureDoesNotMatch|RequestExpired|UnrecognizedClient/, 'busy'],
  [/AccessDenied|Unauthorized/, 'denied'],
  [/NotFound/, 'missing'],
]

async function fetch(asking: Asking, source: SecretSource, endpoint: string | undefined): Promise<string> {
  const {body, service, target, value} = source.service === 'aws-ssm' ? PARAMETER : SECRET
  const token = await askMetadata(asking, '/latest/api/token', {'x-aws-ec2-metadata-token-ttl-seconds': '300'}, 'PUT')
  const session = token.text.trim()
  asking.register(session)
  if (!/^[\w+/=-]+$/.test(session)) throw new NoSecret('unready', 'The metadata service returned no session token.')
  const read = async (path: string): Promise<string> =>
    (await askMetadata(asking, `/latest/meta-data/${path}`, {'x-aws-ec2-metadata-token': session})).text

  const region = source.region ?? nameIn(await read('placement/region'), 'region')
  const domain = nameIn(await read('services/domain'), 'domain')
  const url = endpoint ?? `https://${service}.${region}.${domain}`
  demandSecretHost(asking, source, url)
  const [role = ''] = (await read('iam/security-credentials/')).trim().split('\n')
  // IAM User Guide, "IAM and AWS STS quotas". It is sent as it is, as botocore sends it (utils.py, _get_credentials).
  if (!/^[\w+=,.@-]{1,64}$/.test(role))
    throw new NoSecret('unready', 'The metadata service returned no name of a role.')
  const credentials = credentialsIn(asking, await read(`iam/security-credentials/${role}`))
  const text = JSON.stringify(body(source.name))
  const type = {'content-type': 'application/x-amz-json-1.1', host: new URL(url).host, 'x-amz-target': target}
  const headers = signed({body: text, credentials, headers: type, now: asking.clock.now(), region, service})
  const answer = await ask(asking, {body: text, headers, method: 'POST', url: `${url}/`})
  if (answer.status !== 200) {
    const code = textAt(answer.document, '__type')
    throw new NoSecret(OF_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? 'unusable', answer.said)
  }
  const found = value(answer.document)
  if (typeof found === 'string') return found
  throw new NoSecret('unusable', `${new URL(url).host} returned no value.`)
}

function credentialsIn({register}: Asking, text: string): AwsCredentials {
  const document = parseJson(text)
  const [secretAccessKey, sessionToken] = [textAt(document, 'SecretAccessKey'), textAt(document, 'Token')]
  for (const secret of [secretAccessKey, sessionToken]) if (secret !== '') register(secret)
  const accessKeyId = textAt(document, 'AccessKeyId')
  const isWhole = [accessKeyId, secretAccessKey, sessionToken].every((part) => /^[\w+/=-]+$/.test(part))
  if (textAt(document, 'Code') === 'Success' && isWhole) return {accessKeyId, secretAccessKey, sessionToken}
  // Its status is 200 too where the role does not trust EC2: AssumeRoleUnauthorizedAccess.
  throw new NoSecret('unready', `The metadata service has no credentials of the role${errorIn(document)}.`)
}

export const aws: SecretStore = {
  fetch,
  identity: 'Attach an instance profile with a role to this instance, and leave its metadata service on (IMDSv2).',
  permission:
    "Allow the instance's role ssm:GetParameter (aws-ssm) or secretsmanager:GetSecretValue (aws-sm) for this name, and kms:Decrypt for its key if that is not the AWS managed one.",
}
