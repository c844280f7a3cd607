// A fresh simulated host without a drive, for tests of one model: time passes as soon as it is asked to.
import type {Files} from '../../src/machine/files.js'
import type {ModelRequest, ModelResponse, Stage} from '../../src/simulator/model.js'
import {profileNamed} from '../../src/simulator/profiles/index.js'

export const START = Date.UTC(2021, 9, 20)

export function makeStage(): Stage {
  let now = START
  return {
    elapse: async (ms) => void (now += ms),
    files: {} as Files,
    now: () => now,
    world: profileNamed('ws2019').makeWorld(START),
  }
}

export function ask(method: string, target: string, body: Buffer | string = ''): ModelRequest {
  const {pathname, searchParams} = new URL(target, 'http://host')
  return {body: Buffer.from(body), headers: {}, method, path: pathname, query: searchParams}
}

export async function textOf({body}: ModelResponse): Promise<string> {
  if (typeof body === 'string') return body
  let text = ''
  for await (const piece of body) text += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
  return text
}

export interface Refusal {
  readonly message: string
}

export const jsonOf = async <T = unknown>(response: ModelResponse): Promise<T> =>
  JSON.parse(await textOf(response)) as T

/** A line of what Docker reports while it pulls or builds. */
export interface DockerLine {
  readonly aux?: {readonly ID: string}
  readonly error?: string
  readonly errorDetail?: Refusal
  readonly progressDetail?: {readonly current?: number; readonly total?: number}
  readonly status?: string
  readonly stream?: string
}

export async function linesOf(response: ModelResponse): Promise<DockerLine[]> {
  return (await textOf(response))
    .split('\r\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DockerLine)
}
