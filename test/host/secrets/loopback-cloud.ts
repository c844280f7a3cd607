// The metadata service and the secret stores of a cloud behind a real server on loopback, asked with the real HTTP client.
// Requests to AWS are judged by aws4, too.
import type {IncomingMessage, ServerResponse} from 'node:http'
import {buffer} from 'node:stream/consumers'
import aws4 from 'aws4'
import {expect} from 'vitest'
import type {SecretSource} from '../../../src/config/model.js'
import {secretSource} from '../../../src/config/options/secret-source.js'
import {K8sWinError} from '../../../src/errors/k8s-win-error.js'
import {fetchSecret} from '../../../src/host/secrets/fetch-secret.js'
import type {HttpRequest} from '../../../src/machine/http.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {openHttp} from '../../../src/machine/real/http.js'
import {answerMetadata, METADATA_HOST} from '../../../src/simulator/metadata.js'
import type {ModelResponse, Stage} from '../../../src/simulator/model.js'
import {answerSecretStore, isSecretStore} from '../../../src/simulator/secret-stores.js'
import type {MetadataState} from '../../../src/simulator/world.js'
import {type HandClock, handClock} from '../../fakes/hand-clock.js'
import {MEANT, mappedHttp} from '../../fakes/mapped-http.js'
import {serve} from '../../machine/real/servers.js'
import {makeStage, START, textOf} from '../../simulator/fresh-model.js'

export const CLIENT = '12345678-90ab-cdef-1234-567890abcdef'
export const SOURCES = [
  ['aws', 'aws-ssm:/k8s/join'],
  ['aws', 'aws-sm:k8s/join'],
  ['azure', 'azure-kv:k8s-vault/join'],
  ['azure', `azure-kv:${CLIENT}@k8s-vault/join`],
  ['gce', 'gcp-sm:k8s-project/join'],
] as const
export const SECRET = 'canary-secret-5f2c'

/** In place of the model; undefined: the model answers. */
export type Override = (url: URL, response: ServerResponse, clock: HandClock, nth: number) => boolean

export interface Cloud {
  readonly endpoint?: string
  /** By how much the clock is set at the third request. */
  readonly jumpMs?: number
  readonly metadata?: Partial<MetadataState>
  readonly override?: Override
  readonly source: string
  readonly trusted?: readonly string[]
}

export interface Fetched {
  readonly clock: HandClock
  readonly error?: K8sWinError
  readonly informed: readonly string[]
  readonly registered: readonly string[]
  readonly requests: readonly HttpRequest[]
  readonly secret?: string
  /** Of requests to the stores alone. */
  readonly urls: readonly string[]
}

export const parsed = (text: string): SecretSource => {
  const read = secretSource(text)
  if ('value' in read) return read.value
  throw new Error(read.reason)
}

const cloudOf = (source: string): MetadataState['cloud'] =>
  source.startsWith('aws') ? 'aws' : source.startsWith('azure') ? 'azure' : 'gce'

export async function fetchFrom({
  endpoint,
  jumpMs = 0,
  metadata = {},
  override,
  source,
  trusted = [],
}: Cloud): Promise<Fetched> {
  const clock = handClock(START)
  const {world} = makeStage()
  const stage: Stage = {...makeStage(), elapse: async () => {}, now: clock.now, world}
  const secrets = {[source.replace(/#.*/, '')]: SECRET}
  world.os.metadata = {cloud: cloudOf(source), secrets, ...metadata}
  let nth = 0
  const origin = await serve((request, response) => {
    const url = new URL(String(request.headers[MEANT]))
    if (override?.(url, response, clock, nth++)) return
    void answer(stage, request, url).then(async (model) => {
      response.writeHead(model.status, model.headers).end(await textOf(model))
    })
  })

  const {files} = openRealMachine()
  const requests: HttpRequest[] = []
  const http = mappedHttp(openHttp({clock, environment: {}, files}), origin, (request) => {
    if (requests.push(request) === 3) clock.jump(jumpMs)
  })
  const [informed, registered]: [string[], string[]] = [[], []]
  const {signal} = new AbortController()
  const inform = (message: string): void => void informed.push(message)
  const register = (secret: string): void => void registered.push(secret)
  const fetching = {clock, http, inform, register, secretHosts: trusted, signal}
  const all = (): Omit<Fetched, 'error' | 'secret'> => {
    const urls = requests.map(({url}) => url).filter((url) => !url.includes(METADATA_HOST))
    return {clock, informed, registered, requests, urls}
  }
  try {
    const secret = await fetchSecret(fetching, parsed(source), endpoint)
    return {...all(), secret}
  } catch (error) {
    if (!(error instanceof K8sWinError)) throw error
    return {...all(), error}
  }
}

async function answer(stage: Stage, request: IncomingMessage, url: URL): Promise<ModelResponse> {
  const body = await buffer(request)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const asked = {body, headers, isDirect: true, method: request.method as 'GET', url}
  if (url.hostname === METADATA_HOST) return answerMetadata(stage, asked)
  if (!isSecretStore(stage.world, url.hostname)) return {body: '', status: 404}
  if (stage.world.os.metadata?.cloud === 'aws') expectSignature(headers, body, url)
  return answerSecretStore(stage, asked)
}

/** The keys are those that the metadata service has given. */
export const ROLE = {
  accessKeyId: 'ASIASIMULATEDACCESSK',
  secretAccessKey: 'simulatedSecretAccessKeyOfTheRole0123456',
  sessionToken: 'IQoJsimulatedSessionTokenOfTheRole0123456789abcdef==',
}

function expectSignature(headers: Readonly<Record<string, string>>, body: Buffer, url: URL): void {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers['authorization'] ?? '') ?? []
  const sent = Object.fromEntries(names.split(';').map((name) => [name, headers[name] ?? '']))
  const [service = ''] = /ssm|secretsmanager/.exec(url.hostname) ?? []
  const [, region = ''] = /\.([a-z]+-[a-z]+-\d)\./.exec(url.hostname) ?? []
  const request = {
    body: body.toString('utf8'),
    headers: sent,
    method: 'POST',
    path: '/',
    region,
    service,
  }
  // It adds the length, which need not be signed.
  const {headers: theirs = {}} = aws4.sign({...request, extraHeadersToIgnore: {'content-length': true}}, ROLE)
  expect(headers['authorization']).toBe(theirs['Authorization'])
}
