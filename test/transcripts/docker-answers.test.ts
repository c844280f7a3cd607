// Our Docker host on what a real engine answered; the values beside it were read by eye.
import {describe, expect, it} from 'vitest'
import {messageOf} from '../../src/host/docker/api.js'
import {openDocker} from '../../src/host/docker/docker.js'
import {type DockerLine, dockerLines, PullTracker} from '../../src/host/docker/progress.js'
import type {PullProgress} from '../../src/host/runtime.js'
import {readContainerOutput} from '../../src/host/docker/run.js'
import type {Http, HttpResponse} from '../../src/machine/http.js'
import {only} from '../fakes/partial.js'
import {recording, responseOf} from './corpus.js'

const answer = (id: string): HttpResponse => responseOf(recording(id))

const REFUSED = `
  api-too-new api-too-old build-empty-dockerfile build-no-dockerfile build-no-from build-only-comments
  build-unknown-instruction create-no-body create-no-image create-no-json image-missing
  logs-missing logs-no-stream no-such-path pull-bad-reference pull-no-such-tag pull-nothing
  pull-unreachable-registry remove-image-in-use remove-missing remove-running start-missing start-no-program
  tag-bad-reference tag-missing tag-no-name untag-missing wait-missing
`
  .trim()
  .split(/\s+/)

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
}

describe('Docker', () => {
  /** An engine that answers the version and then this. */
  const engine = (id: string) => {
    const give = (url: string): HttpResponse => answer(url.endsWith('/version') ? 'docker/version' : id)
    const http = only<Http>('http', {
      request: async ({url}) => give(url),
      stream: async ({url}) => ({...give(url), chunks: inPieces(give(url).body)}),
    })
    return openDocker(http, 'pipe')
  }
  const never = new AbortController().signal

  it('reports its version', async () => {
    const version = {apiVersion: '1.41', minApiVersion: '1.12', os: 'linux', version: '20.10.24+dfsg1'}
    expect(await engine('docker/version').version()).toEqual(version)
  })

  it.each([
    ['docker/image', {}, ['registry.example:5000/windows/nanoserver:1809']],
    ['docker/image-two-tags', {}, ['mine:1', 'registry.example:5000/windows/nanoserver:1809']],
    ['docker/image-built', {'k8s-win.template': 'abc'}, ['kubeletwin/pause:latest']],
  ])('describes an image: %s', async (id, labels, tags) => {
    const image = await engine(id).image('x')
    expect(image).toMatchObject({id: expect.stringMatching(/^sha256:[\da-f]{64}$/) as string, labels, osVersion: ''})
    expect([...(image?.tags ?? [])].sort()).toEqual(tags)
  })

  it('has no such image', async () => {
    expect(await engine('docker/image-missing').image('x')).toBeUndefined()
  })

  it.each(['docker/pull', 'docker/pull-other', 'docker/pull-cut-once'])('is followed in a pull: %s', async (id) => {
    const progress: PullProgress[] = []
    await engine(id).pull('x:1', (one) => progress.push(one), never)
    const last = progress.at(-1)
    expect(last?.bytes).toBe(last?.total)
    expect(last?.total).toBeGreaterThan(300_000)
    // First all layers are downloaded, then extracted: each counts up.
    for (const phase of [false, true]) {
      const counted = progress.filter(({extracting}) => extracting === phase).map(({bytes = 0}) => bytes)
      expect(counted).toEqual(counted.toSorted((one, other) => one - other))
    }
    expect(progress.findIndex(({extracting}) => extracting)).toBe(progress.filter(({extracting}) => !extracting).length)
  })

  it.each([
    ['docker/pull-no-such-tag', 'manifest for registry.example:5000/windows/nanoserver:ltsc2019 not found'],
    ['docker/pull-other-system', 'no matching manifest for linux/amd64'],
    ['docker/pull-bad-reference', 'repository name must be lowercase'],
    ['docker/pull-unreachable-registry', 'connection refused'],
    ['docker/pull-cut', 'unexpected EOF'],
    ['docker/pull-wrong-bytes', 'filesystem layer verification failed'],
  ])('refuses a pull, also after it began: %s', async (id, said) => {
    const error: unknown = await engine(id)
      .pull('x:1', () => {}, never)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({id: 'PULL_FAILED', reason: expect.stringContaining(said) as string})
  })

  it.each([
    ['docker/build-step-fails', 'returned a non-zero code: 3'],
    ['docker/build-unknown-instruction', 'unknown instruction: FORM'],
    ['docker/build-base-not-there', 'manifest unknown'],
  ])('refuses a build: %s', async (id, said) => {
    const error: unknown = await engine(id)
      .build('x', Buffer.from('tar'), never)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({id: 'DOCKER_FAILED', reason: expect.stringContaining(said) as string})
  })

  it.each(['docker/build-pause', 'docker/build-pause-again'])('builds: %s', async (id) => {
    await engine(id).build('x', Buffer.from('tar'), never)
  })

  it.each([
    ['docker/logs', 'Microsoft Windows [Version 10.0.17763.2237]'],
    ['docker/logs-stderr-only', ''],
    [
      'docker/logs-failing',
      "'nonsense' is not recognized as an internal or external command,\r\noperable program or batch file.",
    ],
  ])('gives the output of a container in frames: %s', (id, text) => {
    expect(readContainerOutput(answer(id).body)).toBe(text)
  })

  it.each(REFUSED)('says why it refuses: %s', (name) => {
    const refusal = answer(`docker/${name}`)
    expect(refusal.status).toBeGreaterThanOrEqual(400)
    const said = messageOf(refusal)
    expect(said).not.toBe('')
    expect(said).not.toMatch(/^[{[]|\n$/)
  })

  it('reports a layer more than once where it begins anew', async () => {
    const tracker = new PullTracker()
    const retried: DockerLine[] = []
    for await (const line of dockerLines(inPieces(answer('docker/pull-cut-once').body))) {
      tracker.add(line)
      if (line.status?.startsWith('Retrying')) retried.push(line)
    }

    expect(retried.length).toBeGreaterThan(0)
  })
})
