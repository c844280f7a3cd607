// The metadata service of a cloud: what it answers to whom, as far as k8s-win asks. Sources are in src/host/cloud.ts.
import type {ModelResponse, Stage} from './model.js'
import type {RouteRequest} from './routes.js'
import {answerIdentity} from './secret-stores.js'
import type {MetadataState} from './world.js'

export const METADATA_HOST = '169.254.169.254'

const ANSWER_MS = 5
/** Longer than anyone waits. */
const NEVER_MS = 3_600_000
const TOKEN = 'AQAEAsimulatedTokenOfTheMetadataService0123456789ab=='
const PIECE = 1024 ** 2

/** By method and path; what is not there is 404. A function is asked whether the headers of the request will do. */
type Services = Readonly<
  Record<
    MetadataState['cloud'],
    {
      readonly answers: Readonly<Record<string, Pick<ModelResponse, 'body' | 'headers'> & {readonly body: string}>>
      readonly refuses: (headers: Readonly<Record<string, string>>, method: string) => number | undefined
    }
  >
>

const SERVICES: Services = {
  // 401 without a token, where only IMDSv2 is allowed; a PUT that came through a proxy is refused (AWS' user guide, "How
  // Instance Metadata Service Version 2 works").
  aws: {
    answers: {
      'GET /latest/meta-data/instance-id': {body: 'i-0123456789abcdef0'},
      'PUT /latest/api/token': {body: TOKEN, headers: {'x-aws-ec2-metadata-token-ttl-seconds': '60'}},
    },
    refuses(headers, method) {
      if (method === 'GET') return headers['x-aws-ec2-metadata-token'] === TOKEN ? undefined : 401
      if ('x-forwarded-for' in headers) return 403
      return /^\d+$/.test(headers['x-aws-ec2-metadata-token-ttl-seconds'] ?? '') ? undefined : 400
    },
  },
  azure: {
    answers: {'GET /metadata/versions': {body: '{"apiVersions":["2021-02-01","2023-07-01"]}'}},
    refuses: (headers) => (headers['metadata'] === 'true' && !('x-forwarded-for' in headers) ? undefined : 400),
  },
  gce: {
    answers: {
      'GET /computeMetadata/v1/': {body: 'instance/\noslogin/\nproject/\n', headers: {'metadata-flavor': 'Google'}},
    },
    refuses: (headers) =>
      headers['metadata-flavor'] === 'Google' && !('x-forwarded-for' in headers) ? undefined : 403,
  },
  openstack: {
    answers: {
      'GET /openstack/latest/meta_data.json': {
        body: '{"hostname":"win-1","name":"win-1","uuid":"83679162-1378-4288-a2d4-70e13ec132aa"}',
      },
    },
    refuses: () => undefined,
  },
}

export async function answerMetadata(
  stage: Stage,
  {headers = {}, isDirect, method, url}: RouteRequest,
): Promise<ModelResponse> {
  const {environment, os} = stage.world
  const {cloud, hangs = false, paddingBytes = 0} = os.metadata ?? {cloud: 'openstack', hangs: true}
  await stage.elapse(hangs ? NEVER_MS : ANSWER_MS)
  const {answers, refuses} = SERVICES[cloud]
  const proxied = !isDirect && 'HTTP_PROXY' in environment ? {'x-forwarded-for': '10.0.0.5'} : {}
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const status = refuses({...sent, ...proxied}, method)
  if (status !== undefined) return {body: '', status}
  const answer = answers[`${method} ${url.pathname}`]
  if (!answer) return answerIdentity(stage, {method, url}) ?? {body: '', status: 404}
  return {...answer, body: paddingBytes === 0 ? answer.body : padded(answer.body, paddingBytes), status: 200}
}

async function* padded(body: string, bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= PIECE) yield Buffer.alloc(Math.min(left, PIECE), ' ')
  yield Buffer.from(body)
}
