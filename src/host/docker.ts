// The Docker Engine, through its API over the local pipe. No docker.exe is needed.
import {dockerFailed, pullFailed} from '../errors/bytes.js'
import type {Http, HttpRequest, HttpResponse} from '../machine/http.js'
import {jsonLines, type PullProgress, PullTracker} from './docker-progress.js'
import {readContainerOutput} from './docker-output.js'

export interface EngineVersion {
  readonly apiVersion: string
  readonly minApiVersion: string
  /** "windows" or "linux": which containers it runs. */
  readonly os: string
  readonly version: string
}

export interface ImageInfo {
  readonly id: string
  readonly labels: Readonly<Record<string, string>>
  /** "10.0.17763.2237" for a Windows image. */
  readonly osVersion: string
  readonly tags: readonly string[]
}

export interface ContainerRun {
  readonly exitCode: number
  /** What it printed, or why it could not be started. */
  readonly output: string
}

export interface DockerEngine {
  build(tag: string, context: Uint8Array, signal: AbortSignal): Promise<void>
  /** Undefined where there is no such image. */
  image(reference: string): Promise<ImageInfo | undefined>
  pull(reference: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>
  removeTag(reference: string): Promise<void>
  /** Runs a container to its end and removes it. A container that cannot start is an answer, not an error. */
  runOnce(image: string, command: readonly string[], signal: AbortSignal): Promise<ContainerRun>
  tag(image: string, reference: string): Promise<void>
  /** Rejects with an HttpError where nobody listens on the pipe. */
  version(): Promise<EngineVersion>
}

/** The newest API we were written against; an older engine is spoken to in its own. */
const OUR_API = '1.41'
const SHORT_MS = 60_000
const PULL_MS = 60 * 60_000
const OWNER_LABEL = 'k8s-win.probe'

export function openDocker(http: Http, pipe: string): DockerEngine {
  let negotiated: Promise<string> | undefined
  const base = {pipe, url: 'http://docker'}

  const version = async (): Promise<EngineVersion> => {
    const response = await http.request({
      ...base,
      deadlineMs: 15_000,
      effect: 'read',
      method: 'GET',
      url: `${base.url}/version`,
    })
    const body = json<{ApiVersion: string; MinAPIVersion?: string; Os: string; Version: string}>(response)
    return {
      apiVersion: body.ApiVersion,
      minApiVersion: body.MinAPIVersion ?? '1.12',
      os: body.Os,
      version: body.Version,
    }
  }

  const prefix = (): Promise<string> => {
    negotiated ??= version().then(
      (engine) => `/v${compareApi(engine.apiVersion, OUR_API) < 0 ? engine.apiVersion : apiFor(engine)}`,
    )
    return negotiated
  }

  const send = async (
    method: HttpRequest['method'],
    path: string,
    body?: object,
    signal?: AbortSignal,
    deadlineMs = SHORT_MS,
  ): Promise<HttpResponse> =>
    http.request({
      ...base,
      ...(body ? {body: JSON.stringify(body), headers: {'content-type': 'application/json'}} : {}),
      ...(signal ? {signal} : {}),
      deadlineMs,
      effect: method === 'GET' ? 'read' : 'change',
      method,
      url: `${base.url}${await prefix()}${path}`,
    })

  const demand = (response: HttpResponse, what: string): HttpResponse => {
    if (response.status < 300) return response
    throw dockerFailed({operation: what, said: messageOf(response)})
  }

  const image = async (reference: string): Promise<ImageInfo | undefined> => {
    const response = await send('GET', `/images/${reference}/json`)
    if (response.status === 404) return undefined
    const body = json<{
      Config?: {Labels?: Record<string, string> | null}
      Id: string
      OsVersion?: string
      RepoTags?: string[] | null
    }>(demand(response, `look at ${reference}`))
    return {id: body.Id, labels: body.Config?.Labels ?? {}, osVersion: body.OsVersion ?? '', tags: body.RepoTags ?? []}
  }

  const streamed = async (
    path: string,
    body: Uint8Array | string,
    headers: Record<string, string>,
    signal: AbortSignal,
    onLine: (line: DockerLine) => void,
  ): Promise<string | undefined> => {
    const stream = await http.stream({
      ...base,
      body,
      deadlineMs: PULL_MS,
      effect: 'change',
      headers,
      method: 'POST',
      signal,
      url: `${base.url}${await prefix()}${path}`,
    })
    let problem: string | undefined
    for await (const line of jsonLines<DockerLine>(stream.chunks)) {
      // A pull or build that fails after it began answers 200 and says so in its last line.
      problem = line.errorDetail?.message ?? line.error ?? (stream.status >= 300 ? line.message : undefined) ?? problem
      onLine(line)
    }

    return problem ?? (stream.status >= 300 ? `status ${stream.status}` : undefined)
  }

  return {
    async build(tag, context, signal) {
      const headers = {'content-type': 'application/x-tar'}
      const problem = await streamed(
        `/build?t=${encodeURIComponent(tag)}&forcerm=1`,
        context,
        headers,
        signal,
        () => {},
      )
      if (problem !== undefined) throw dockerFailed({operation: `build ${tag}`, said: problem})
    },
    image,
    async pull(reference, onProgress, signal) {
      const [name, tag] = splitReference(reference)
      const tracker = new PullTracker()
      const path = `/images/create?fromImage=${encodeURIComponent(name)}&tag=${encodeURIComponent(tag)}`
      const problem = await streamed(path, '', {}, signal, (line) => {
        const progress = tracker.add(line)
        if (progress) onProgress(progress)
      })
      if (problem !== undefined) throw pullFailed({image: reference, said: problem})
    },
    async removeTag(reference) {
      const response = await send('DELETE', `/images/${reference}?noprune=true`)
      if (response.status !== 404) demand(response, `remove the tag ${reference}`)
    },
    async runOnce(imageName, command, signal) {
      const created = await send(
        'POST',
        '/containers/create',
        {
          Cmd: command,
          HostConfig: {NetworkMode: 'none'},
          Image: imageName,
          Labels: {[OWNER_LABEL]: 'true'},
        },
        signal,
      )
      const {Id: id} = json<{Id: string}>(demand(created, `make a container of ${imageName}`))
      try {
        const started = await send('POST', `/containers/${id}/start`, undefined, signal, 5 * SHORT_MS)
        if (started.status >= 300) return {exitCode: -1, output: messageOf(started)}
        const waited = json<{StatusCode: number}>(
          await send('POST', `/containers/${id}/wait`, undefined, signal, 5 * SHORT_MS),
        )
        const logs = await send('GET', `/containers/${id}/logs?stdout=1&stderr=1`, undefined, signal)
        return {exitCode: waited.StatusCode, output: readContainerOutput(logs.body)}
      } finally {
        await send('DELETE', `/containers/${id}?force=true`)
      }
    },
    async tag(imageName, reference) {
      const [repo, tag] = splitReference(reference)
      const path = `/images/${imageName}/tag?repo=${encodeURIComponent(repo)}&tag=${encodeURIComponent(tag)}`
      demand(await send('POST', path), `tag ${imageName} as ${reference}`)
    },
    version,
  }
}

export interface DockerLine {
  readonly error?: string
  readonly errorDetail?: {readonly message?: string}
  readonly id?: string
  readonly message?: string
  readonly progressDetail?: {readonly current?: number; readonly total?: number}
  readonly status?: string
}

/** -1, 0 or 1: is API version `a` older than `b`? */
export function compareApi(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number)
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number)
  return Math.sign(aMajor - bMajor || aMinor - bMinor)
}

/** The version to speak: ours, or the engine's oldest where it no longer takes ours. */
const apiFor = (engine: EngineVersion): string =>
  compareApi(engine.minApiVersion, OUR_API) > 0 ? engine.minApiVersion : OUR_API

function splitReference(reference: string): [name: string, tag: string] {
  const colon = reference.lastIndexOf(':')
  return colon > reference.lastIndexOf('/')
    ? [reference.slice(0, colon), reference.slice(colon + 1)]
    : [reference, 'latest']
}

const json = <T>(response: HttpResponse): T => JSON.parse(response.body.toString('utf8')) as T

function messageOf(response: HttpResponse): string {
  const text = response.body.toString('utf8')
  try {
    return (JSON.parse(text) as {message?: string}).message ?? text
  } catch {
    return text || `status ${response.status}`
  }
}
