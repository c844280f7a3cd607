// The Docker Engine, through its API over the local pipe. No docker.exe is needed.
import {dockerFailed, pullFailed} from '../../errors/downloads-and-images.js'
import {answerTooLarge} from '../../errors/cluster.js'
import {dockerStopped} from '../../errors/host.js'
import {bounded} from '../../machine/http-limit.js'
import {type Http, HttpError, type HttpRequest, type HttpResponse} from '../../machine/http.js'
import {listAt, textAt, textsAt} from '../document.js'
import {type ContainerRuntime, digestOf, type ImageInfo, type PullProgress, RUNTIME_TITLES} from '../runtime.js'
import {
  apiFor,
  bytesOf,
  demand,
  documentOf,
  type EngineInfo,
  type EngineVersion,
  messageOf,
  splitReference,
  textOf,
} from './api.js'
import {type DockerNetworks, openContainers, openNetworks, type OwnContainers} from './containers.js'
import {type DockerLine, dockerLines, PullTracker} from './progress.js'
import {runOnce, SHORT_MS} from './run.js'

/** Docker as the runtime, and what only Docker has. */
export interface DockerEngine extends ContainerRuntime, DockerNetworks, OwnContainers {
  build(tag: string, context: Uint8Array, signal: AbortSignal): Promise<void>
  info(): Promise<EngineInfo>
  pull(reference: string, onProgress: (progress: PullProgress) => void, signal: AbortSignal): Promise<void>
  /** Rejects with an HttpError if nothing is listening on the pipe. */
  version(): Promise<EngineVersion>
}

const PULL_MS = 60 * 60_000
const LONGEST_REFUSAL = 1024 ** 2

export function openDocker(http: Http, pipe: string): DockerEngine {
  let negotiated: Promise<string> | undefined
  const base = {pipe, url: 'http://docker'}

  const version = async (): Promise<EngineVersion> => {
    const request = {...base, deadlineMs: 15_000, effect: 'read', method: 'GET', url: `${base.url}/version`} as const
    const response = await http.request(request)
    const telling = 'report its version'
    const body = documentOf(response, telling)
    return {
      apiVersion: textOf(body, 'ApiVersion', telling),
      minApiVersion: textAt(body, 'MinAPIVersion') || '1.12',
      os: textOf(body, 'Os', telling),
      version: textOf(body, 'Version', telling),
    }
  }

  const prefix = (): Promise<string> => {
    negotiated ??= version().then((engine) => `/v${apiFor(engine)}`)
    // An engine that does not answer now may answer the next time.
    negotiated.catch(() => (negotiated = undefined))
    return negotiated
  }

  /** An engine that stops meanwhile is reported as such, not as a server that cannot be reached. */
  const reached = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const said = `${error.message} (${error.code})`
      if (error.code === 'TOO_LARGE') throw answerTooLarge({reason: error.message, server: pipe}, {cause: error})
      if (error.code === 'ETIMEDOUT') throw dockerFailed({operation: 'respond in time', said}, {cause: error})
      throw dockerStopped({pipe, reason: said}, {cause: error})
    }
  }

  const send = async (
    method: HttpRequest['method'],
    path: string,
    body?: object,
    signal?: AbortSignal,
    deadlineMs = SHORT_MS,
  ): Promise<HttpResponse> =>
    reached(async () =>
      http.request({
        ...base,
        ...(body ? {body: JSON.stringify(body), headers: {'content-type': 'application/json'}} : {}),
        ...(signal ? {signal} : {}),
        deadlineMs,
        effect: method === 'GET' ? 'read' : 'change',
        method,
        url: `${base.url}${await prefix()}${path}`,
      }),
    )

  const image = async (reference: string): Promise<ImageInfo | undefined> => {
    const response = await send('GET', `/images/${reference}/json`)
    if (response.status === 404) return undefined
    const looking = `inspect ${reference}`
    const body = documentOf(response, looking)
    return {
      digest: digestOf(reference, listAt(body, 'RepoDigests').map(String)),
      id: textOf(body, 'Id', looking),
      labels: textsAt(body, 'Config', 'Labels'),
      osVersion: textAt(body, 'OsVersion'),
      tags: listAt(body, 'RepoTags').map(String),
    }
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
    if (stream.status >= 300) {
      const said = bounded(stream.chunks, `${base.url}${path}`, LONGEST_REFUSAL)
      return messageOf({body: await bytesOf(said), ...stream})
    }

    let problem: string | undefined
    for await (const line of dockerLines(stream.chunks)) {
      // A pull or build that fails after it began answers 200 and says so in its last line.
      problem = line.errorDetail?.message ?? line.error ?? problem
      onLine(line)
    }

    return problem
  }

  return {
    ...openContainers(send),
    ...openNetworks(send),
    async build(tag, context, signal) {
      const headers = {'content-type': 'application/x-tar'}
      const path = `/build?t=${encodeURIComponent(tag)}&forcerm=1`
      const problem = await reached(() => streamed(path, context, headers, signal, () => {}))
      if (problem !== undefined) throw dockerFailed({operation: `build ${tag}`, said: problem})
    },
    image,
    async info() {
      const said = documentOf(await send('GET', '/info'), 'report its state')
      return {
        dataRoot: textAt(said, 'DockerRootDir'),
        httpProxy: textAt(said, 'HttpProxy'),
        httpsProxy: textAt(said, 'HttpsProxy'),
        loggingDriver: textAt(said, 'LoggingDriver'),
      }
    },
    name: 'docker',
    async pull(reference, onProgress, signal) {
      const [name, tag] = splitReference(reference)
      const tracker = new PullTracker()
      const path = `/images/create?fromImage=${encodeURIComponent(name)}&tag=${encodeURIComponent(tag)}`
      const onLine = (line: DockerLine): void => {
        const progress = tracker.add(line)
        if (progress) onProgress(progress)
      }

      const problem = await reached(() => streamed(path, '', {}, signal, onLine))
      if (problem !== undefined) throw pullFailed({image: reference, runtime: RUNTIME_TITLES.docker, said: problem})
    },
    async removeImage(reference) {
      const response = await send('DELETE', `/images/${reference}`)
      if (response.status === 409) return messageOf(response)
      if (response.status !== 404) demand(response, `remove the image ${reference}`)
      return undefined
    },
    async removeTag(reference) {
      const response = await send('DELETE', `/images/${reference}`)
      if (response.status !== 404) demand(response, `remove the tag ${reference}`)
    },
    runOnce: (imageName, command, signal) => runOnce(send, imageName, command, signal),
    async tag(imageName, reference) {
      const [repo, tag] = splitReference(reference)
      const path = `/images/${imageName}/tag?repo=${encodeURIComponent(repo)}&tag=${encodeURIComponent(tag)}`
      demand(await send('POST', path), `tag ${imageName} as ${reference}`)
    },
    version,
  }
}
