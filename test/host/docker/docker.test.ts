// The Docker Engine's API: the version spoken, images, containers, pulls and builds, and what goes wrong with each.
import {Readable} from 'node:stream'

import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {openDocker} from '../../../src/host/docker/docker.js'
import {compareApi} from '../../../src/host/docker/api.js'
import {type Http, HttpError, type HttpRequest} from '../../../src/machine/http.js'

const PIPE = String.raw`\\.\pipe\docker_engine`
const {signal} = new AbortController()
type Answer = {readonly body?: unknown; readonly status?: number}
const VERSION = {ApiVersion: '1.41', MinAPIVersion: '1.24', Os: 'windows', Version: '20.10.9'}

type Answers = Readonly<Record<string, Answer | (() => Answer)>>

function open(answers: Answers, version: object = VERSION) {
  const requests: HttpRequest[] = []
  const reply = (request: HttpRequest): {body: Buffer; headers: Record<string, string>; status: number} => {
    requests.push(request)
    expect(request.pipe).toBe(PIPE)
    const path = request.url.replace('http://docker', '')
    const all: Answers = {'GET /version': {body: version}, ...answers}
    const found = all[`${request.method} ${path}`]
    if (!found) throw new Error(`${request.method} ${path} was not expected`)
    const {body = '', status = 200} = typeof found === 'function' ? found() : found
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return {body: bytes, headers: {}, status}
  }

  const http: Http = {
    disconnect() {},
    download: () => Promise.reject(new Error('a download was not expected')),
    request: async (request) => reply(request),
    async stream(request) {
      const {body, ...rest} = reply(request)
      return {...rest, chunks: Readable.from([body])}
    },
  }
  const sent = (): string[] => requests.slice(1).map(({method, url}) => `${method} ${url.replace('http://docker', '')}`)
  return {docker: openDocker(http, PIPE), requests, sent}
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  )

it('whatever answers on the pipe, it is reported as an answer of Docker that is none', async () => {
  const calls: readonly ((docker: ReturnType<typeof openDocker>) => Promise<unknown>)[] = [
    (docker) => docker.version(),
    (docker) => docker.info(),
    (docker) => docker.image('x'),
    (docker) => docker.pull('x:1', () => {}, signal),
    (docker) => docker.build('x', Buffer.alloc(0), signal),
    (docker) => docker.runOnce('x', ['cmd'], signal),
    (docker) => docker.removeProbes(),
    (docker) => docker.tag('x', 'y:1'),
  ]
  const body = fc.oneof(fc.string(), fc.json(), fc.constantFrom('', '{}', '[]', '[{}]', 'null', '<html>login</html>'))
  await fc.assert(
    fc.asyncProperty(fc.nat(calls.length - 1), body, fc.constantFrom(200, 500), async (call, text, status) => {
      const answer = {body: Buffer.from(text), headers: {}, status}
      const http: Http = {
        disconnect() {},
        download: () => Promise.reject(new Error('a download was not expected')),
        request: async () => answer,
        stream: async () => ({...answer, chunks: Readable.from([answer.body])}),
      }
      const error = await calls[call]?.(openDocker(http, PIPE)).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error !== undefined) expect(error).toMatchObject({exitCode: 4})
    }),
    {numRuns: 500},
  )
})

it.each([{message: 'x '.repeat(1_000_000)}, 'x '.repeat(1_000_000)])(
  'review S10: a refusal of megabytes is told in part',
  async (body) => {
    const {docker} = open({'GET /v1.41/info': {body, status: 500}})
    const {reason} = (await failure(docker.info())) as {reason: string}
    expect(reason).toMatch(/^Docker said: (?:x ){999}x ?…$/)
  },
)

it('an engine that goes away, or does not answer in time, is reported as such', async () => {
  const pull = (code: string) => {
    const gone = (): never => {
      throw new HttpError('http://docker/', code, 'gone')
    }

    const {docker} = open({'POST /v1.41/images/create?fromImage=x&tag=1': gone})
    return failure(docker.pull('x:1', () => {}, signal))
  }

  expect(await pull('ECONNRESET')).toMatchObject({exitCode: 3, id: 'DOCKER_STOPPED'})
  expect(await pull('ETIMEDOUT')).toMatchObject({exitCode: 4, id: 'DOCKER_FAILED'})
})

describe('the version', () => {
  it.each([
    ['the same', '1.41', '1.24', '1.41'],
    ['an old engine: its own', '1.30', '1.24', '1.30'],
    ['a new engine that takes ours', '1.47', '1.24', '1.41'],
    ['a new engine that does not', '1.52', '1.44', '1.44'],
    ['an engine that tells no oldest', '1.43', undefined, '1.41'],
  ])('spoken is %s', async (_, ApiVersion, MinAPIVersion, spoken) => {
    const path = `GET /v${spoken}/images/x/json`
    const {docker, sent} = open({[path]: {status: 404}}, {...VERSION, ApiVersion, MinAPIVersion})
    expect(await docker.image('x')).toBeUndefined()
    expect(await docker.image('x')).toBeUndefined()
    expect(sent()).toEqual([path, path])
  })

  it('is reported', async () => {
    expect(await open({}).docker.version()).toEqual({
      apiVersion: '1.41',
      minApiVersion: '1.24',
      os: 'windows',
      version: '20.10.9',
    })
  })

  it('is asked again after an engine that did not answer', async () => {
    let running = false
    const {docker} = open({
      'GET /v1.41/images/x/json': {status: 404},
      'GET /version'() {
        if (!running) throw new HttpError('http://docker/version', 'ENOENT', 'no pipe')
        return {body: VERSION}
      },
    })
    await expect(docker.version()).rejects.toBeInstanceOf(HttpError)
    await expect(docker.image('x')).rejects.toMatchObject({exitCode: 3, id: 'DOCKER_STOPPED'})
    running = true
    expect(await docker.image('x')).toBeUndefined()
  })

  it('that is refused is an error of Docker, not of k8s-win', async () => {
    const {docker} = open({'GET /version': {body: 'not ready', status: 503}})
    await expect(docker.version()).rejects.toMatchObject({id: 'DOCKER_FAILED', reason: 'Docker said: not ready'})
  })

  it.each([
    ['1.24', '1.41', -1],
    ['1.41', '1.41', 0],
    ['1.9', '1.24', -1],
    ['1.100', '1.41', 1],
    ['2.0', '1.41', 1],
  ])('compares %s with %s: %i', (a, b, expected) => {
    expect(compareApi(a, b)).toBe(expected)
  })
})

describe('an image', () => {
  it.each([
    ['registry:5000/x:1', ['y@sha256:2', 'registry:5000/x@sha256:1'], 'sha256:1'],
    ['x:1', ['mirror/x@sha256:3'], 'sha256:3'],
    ['x:1', [], ''],
  ])('review S17: %s with %j was pulled as "%s"', async (reference, RepoDigests, digest) => {
    const body = {Id: 'sha256:9', RepoDigests, RepoTags: [reference]}
    const {docker} = open({[`GET /v1.41/images/${reference}/json`]: {body}})
    expect(await docker.image(reference)).toMatchObject({digest})
  })

  it('is read, also where Docker has null', async () => {
    const body = {Config: {Labels: {a: 'b'}}, Id: 'sha256:1', OsVersion: '10.0.17763.2237', RepoTags: ['x:latest']}
    const path = 'GET /v1.41/images/x/json'
    expect(await open({[path]: {body}}).docker.image('x')).toEqual({
      digest: '',
      id: 'sha256:1',
      labels: {a: 'b'},
      osVersion: '10.0.17763.2237',
      tags: ['x:latest'],
    })
    const bare = {Config: {Labels: null}, Id: 'sha256:1', RepoTags: null}
    expect(await open({[path]: {body: bare}}).docker.image('x')).toMatchObject({labels: {}, osVersion: '', tags: []})
    await expect(open({[path]: {body: {message: 'full'}, status: 500}}).docker.image('x')).rejects.toMatchObject({
      id: 'DOCKER_FAILED',
      reason: 'Docker said: full',
    })
  })

  it.each([
    ['mcr.microsoft.com/windows/nanoserver:1809', 'mcr.microsoft.com%2Fwindows%2Fnanoserver', '1809'],
    ['mirror:5000/windows/nanoserver', 'mirror%3A5000%2Fwindows%2Fnanoserver', 'latest'],
    ['mirror:5000/x:1', 'mirror%3A5000%2Fx', '1'],
    ['mirror:5000/x@sha256:ab', 'mirror%3A5000%2Fx', 'sha256%3Aab'],
    ['kubeletwin/pause', 'kubeletwin%2Fpause', 'latest'],
  ])('%s is asked for by name and tag', async (reference, name, tag) => {
    const pull = `POST /v1.41/images/create?fromImage=${name}&tag=${tag}`
    const mark = `POST /v1.41/images/y/tag?repo=${name}&tag=${tag}`
    const {docker, sent} = open({[mark]: {status: 201}, [pull]: {}})
    await docker.pull(reference, () => {}, signal)
    await docker.tag('y', reference)
    expect(sent()).toEqual([pull, mark])
  })

  it('loses its tag, or had lost it', async () => {
    const path = 'DELETE /v1.41/images/x:latest'
    for (const status of [200, 404]) await open({[path]: {status}}).docker.removeTag('x:latest')
    const busy = open({[path]: {body: {message: 'in use'}, status: 409}})
    expect(await failure(busy.docker.removeTag('x:latest'))).toMatchObject({id: 'DOCKER_FAILED'})
  })
})

describe('a pull', () => {
  const PATH = 'POST /v1.41/images/create?fromImage=x&tag=1'
  const pull = (answer: Answer) => failure(open({[PATH]: answer}).docker.pull('x:1', () => {}, signal))

  it.each([
    [
      'after it began (status 200)',
      {body: '{"status":"Pulling"}\n{"errorDetail":{"message":"toomanyrequests"},"error":"e"}\n'},
      'toomanyrequests',
    ],
    ['with the short form only', {body: '{"error":"no space left"}\n'}, 'no space left'],
    ['at once, in JSON', {body: {message: 'manifest unknown'}, status: 404}, 'manifest unknown'],
    ['at once, in words', {body: 'Internal error\n', status: 500}, 'Internal error'],
    ['without a word', {status: 500}, 'status 500'],
  ])('that fails %s is reported', async (_, answer, said) => {
    expect(await pull(answer)).toMatchObject({exitCode: 4, id: 'PULL_FAILED', reason: `Docker said: ${said}`})
  })

  it('that succeeds reports bytes', async () => {
    const lines = [
      {id: 'a', progressDetail: {current: 50, total: 100}, status: 'Downloading'},
      {id: 'a', status: 'Pull complete'},
    ]
    const progress: unknown[] = []
    const body = lines.map((line) => JSON.stringify(line)).join('\r\n')
    await open({[PATH]: {body}}).docker.pull('x:1', (entry) => progress.push(entry), signal)
    expect(progress).toEqual([
      {bytes: 50, extracting: false, total: 100},
      {bytes: 100, extracting: true, total: 100},
    ])
  })
})

it('a build sends the context, and reports what failed', async () => {
  const path = 'POST /v1.41/build?t=kubeletwin%2Fpause&forcerm=1'
  const good = open({[path]: {body: '{"stream":"done"}\n'}})
  await good.docker.build('kubeletwin/pause', Buffer.from('tar'), signal)
  expect(good.requests[1]).toMatchObject({body: Buffer.from('tar'), headers: {'content-type': 'application/x-tar'}})
  const bad = open({[path]: {body: '{"errorDetail":{"message":"no FROM"}}'}})
  expect(await failure(bad.docker.build('kubeletwin/pause', Buffer.from('tar'), signal))).toMatchObject({
    id: 'DOCKER_FAILED',
    message: 'Docker could not build kubeletwin/pause',
  })
})
