// How Docker's Engine API is spoken: its versions, its references, its errors.
import {dockerFailed} from '../../errors/downloads-and-images.js'
import type {HttpResponse} from '../../machine/http.js'
import {parseJson, textAt} from '../document.js'
import {shortened} from '../../errors/shortened.js'

export interface EngineVersion {
  readonly apiVersion: string
  readonly minApiVersion: string
  /** "windows" or "linux": which containers it runs. */
  readonly os: string
  readonly version: string
}

/** How the engine is set up. Proxies are as it has them, perhaps with a password. */
export interface EngineInfo {
  /** Where it keeps images and containers. */
  readonly dataRoot: string
  readonly httpProxy: string
  readonly httpsProxy: string
  /** What containers log with: "json-file", unless it is set up otherwise. */
  readonly loggingDriver: string
}

/** Limit of an unexpected response in a message. */
const LONGEST_SAID = 200

/** The newest API version that k8s-win uses; an older engine is called with its own. */
const OUR_API = '1.41'

/** -1, 0 or 1: is API version `a` older than `b`? */
export function compareApi(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number)
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number)
  return Math.sign(aMajor - bMajor || aMinor - bMinor)
}

/** The API version to use: k8s-win's, the engine's newest if that is older, or its oldest if that is newer. */
export function apiFor({apiVersion, minApiVersion}: EngineVersion): string {
  if (compareApi(apiVersion, OUR_API) < 0) return apiVersion
  return compareApi(minApiVersion, OUR_API) > 0 ? minApiVersion : OUR_API
}

/** The engine takes a digest in the place of the tag. */
export function splitReference(reference: string): [name: string, tag: string] {
  const at = reference.indexOf('@')
  if (at !== -1) return [reference.slice(0, at), reference.slice(at + 1)]
  const colon = reference.lastIndexOf(':')
  return colon > reference.lastIndexOf('/')
    ? [reference.slice(0, colon), reference.slice(colon + 1)]
    : [reference, 'latest']
}

export function demand(response: HttpResponse, operation: string): HttpResponse {
  if (response.status < 300) return response
  throw dockerFailed({operation, said: messageOf(response)})
}

/** The JSON of an answer. Anything else is reported. */
export function documentOf(response: HttpResponse, operation: string): unknown {
  const text = demand(response, operation).body.toString('utf8')
  const answer = parseJson(text)
  if (typeof answer === 'object' && answer !== null) return answer
  throw dockerFailed({operation, said: `${shortened(text, LONGEST_SAID) || 'nothing'} (not JSON)`})
}

/** A text that the answer must have. */
export function textOf(answer: unknown, key: string, operation: string): string {
  const text = textAt(answer, key)
  if (text !== '') return text
  throw dockerFailed({operation, said: `${shortened(JSON.stringify(answer), LONGEST_SAID)} (without ${key})`})
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

export function messageOf(response: HttpResponse): string {
  const text = response.body.toString('utf8').trim()
  return shortened(textAt(parseJson(text), 'message') || text || `status ${response.status}`)
}
