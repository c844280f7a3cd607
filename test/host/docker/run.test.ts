// Running a container once: whatever happens, it is removed; and the forms in which Docker reports things as it goes.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {openDocker} from '../../../src/host/docker/docker.js'
import {type DockerLine, dockerLines, PullTracker} from '../../../src/host/docker/progress.js'
import {readContainerOutput} from '../../../src/host/docker/run.js'
import type {Http} from '../../../src/machine/http.js'
import {only} from '../../fakes/partial.js'

const {signal} = new AbortController()

/** One frame of a container's output. */
function frame(text: string, stream = 1): Buffer {
  const content = Buffer.from(text)
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(content.length, 4)
  return Buffer.concat([header, content])
}

type Answers = Readonly<Record<string, {readonly body?: unknown; readonly status: number}>>

function open(answers: Answers) {
  const calls: string[] = []
  const http = only<Http>('http', {
    async request({body, method, url}) {
      const path = url.replace('http://docker', '').replace('/v1.41', '')
      calls.push(`${method} ${path}`)
      if (path === '/containers/create')
        expect(JSON.parse(body as string)).toMatchObject({Cmd: ['cmd', '/c', 'ver'], Image: 'x'})
      const version = {body: {ApiVersion: '1.41', Os: 'windows', Version: '20'}, status: 200}
      const all: Answers = {'/containers/1?force=true': {status: 204}, '/version': version, ...answers}
      const answer = all[path]
      if (!answer) throw new Error(`${path} was not expected`)
      if (answer.status < 0) throw new Error(`${path}: the engine is gone`)
      const content = Buffer.isBuffer(answer.body) ? answer.body : Buffer.from(JSON.stringify(answer.body ?? ''))
      return {body: content, headers: {}, status: answer.status}
    },
  })
  return {calls, run: () => openDocker(http, 'pipe').runOnce('x', ['cmd', '/c', 'ver'], signal)}
}

const CREATED = {'/containers/create': {body: {Id: '1'}, status: 201}}
const STARTED = {...CREATED, '/containers/1/start': {status: 204}}
const LOGS = '/containers/1/logs?stdout=1&stderr=1'

describe('runOnce', () => {
  it('reports the exit code and the output, and removes the container', async () => {
    const {calls, run} = open({
      ...STARTED,
      '/containers/1/wait': {body: {StatusCode: 3}, status: 200},
      [LOGS]: {body: Buffer.concat([frame('\r\nMicrosoft Windows '), frame('[10.0]\r\n', 2)]), status: 200},
    })
    expect(await run()).toEqual({exitCode: 3, output: 'Microsoft Windows [10.0]'})
    expect(calls.at(-1)).toBe('DELETE /containers/1?force=true')
  })

  it('takes a container that cannot start for an answer', async () => {
    const message = 'hcsshim::CreateComputeSystem: The container operating system does not match (0xc0370101)'
    const {calls, run} = open({...CREATED, '/containers/1/start': {body: {message}, status: 500}})
    expect(await run()).toEqual({exitCode: -1, output: message})
    expect(calls.at(-1)).toBe('DELETE /containers/1?force=true')
  })

  it('removes the container also where waiting for it fails', async () => {
    const {calls, run} = open({...STARTED, '/containers/1/wait': {body: {message: 'gone'}, status: 500}})
    await expect(run()).rejects.toMatchObject({id: 'DOCKER_FAILED', reason: 'Docker said: gone'})
    expect(calls.at(-1)).toBe('DELETE /containers/1?force=true')
  })

  it('reports what happened first where the container cannot be removed either', async () => {
    const {run} = open({
      ...STARTED,
      '/containers/1/wait': {body: {message: 'gone'}, status: 500},
      '/containers/1?force=true': {status: -1},
    })
    await expect(run()).rejects.toMatchObject({id: 'DOCKER_FAILED', reason: 'Docker said: gone'})
  })

  it('removes nothing where nothing was made', async () => {
    const {calls, run} = open({'/containers/create': {body: {message: 'No such image'}, status: 404}})
    await expect(run()).rejects.toMatchObject({id: 'DOCKER_FAILED'})
    expect(calls.filter((call) => call.startsWith('DELETE'))).toEqual([])
  })
})

describe("a container's output", () => {
  it('is put together from its frames', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        const body = Buffer.concat(texts.map((text, index) => frame(text, 1 + (index % 2))))
        expect(readContainerOutput(body)).toBe(
          texts
            .map((text) => Buffer.from(text).toString())
            .join('')
            .trim(),
        )
      }),
    )
  })

  it('is read as far as it goes where it is cut', () => {
    expect(readContainerOutput(frame('whole text').subarray(0, 13))).toBe('whole')
    expect(readContainerOutput(Buffer.from([1, 0, 0]))).toBe('')
  })
})

describe('JSON lines', () => {
  const value = fc.record({text: fc.string({unit: 'grapheme'})})

  it('are the same however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(value),
        fc.array(fc.nat()),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (values, cuts, end, last) => {
          const text = values.map((entry) => JSON.stringify(entry)).join(end) + (last ? end : '')
          const bytes = Buffer.from(text)
          const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
            (a, b) => a - b,
          )
          const chunks = (async function* () {
            for (const [index, place] of places.entries())
              yield bytes.subarray(place, places[index + 1] ?? bytes.length)
          })()
          const read: unknown[] = []
          for await (const entry of dockerLines(chunks)) read.push(entry)
          expect(read).toEqual(values)
        },
      ),
    )
  })
})

describe('the progress of a pull', () => {
  const track = (lines: readonly DockerLine[]) => {
    const tracker = new PullTracker()
    return lines.map((line) => tracker.add(line)).filter((entry) => entry !== undefined)
  }

  it('review U2-9: what is downloaded of all layers, then what is extracted; no total until all sizes are known', () => {
    expect(
      track([
        {id: '1809', status: 'Pulling from windows/servercore'},
        {id: 'a', progressDetail: {}, status: 'Pulling fs layer'},
        {id: 'b', progressDetail: {}, status: 'Pulling fs layer'},
        {id: 'there', progressDetail: {}, status: 'Already exists'},
        {id: 'a', progressDetail: {current: 10, total: 100}, status: 'Downloading'},
        {id: 'b', progressDetail: {current: 5, total: 50}, status: 'Downloading'},
        {id: 'a', status: 'Verifying Checksum'},
        {id: 'a', status: 'Download complete'},
        {id: 'a', progressDetail: {current: 7, total: 100}, status: 'Extracting'},
        {id: 'b', status: 'Download complete'},
        {id: 'a', status: 'Pull complete'},
        {id: 'b', progressDetail: {current: 20, total: 50}, status: 'Extracting'},
        {status: 'Digest: sha256:…'},
      ]),
    ).toEqual([
      {bytes: 10, extracting: false},
      {bytes: 15, extracting: false, total: 150},
      {bytes: 105, extracting: false, total: 150},
      {bytes: 105, extracting: false, total: 150},
      {bytes: 7, extracting: true, total: 150},
      {bytes: 100, extracting: true, total: 150},
      {bytes: 120, extracting: true, total: 150},
    ])
  })

  it('continues where Docker fetches the rest of a layer after a cut, and reports the size of the rest', () => {
    expect(
      track([
        {id: 'a', progressDetail: {current: 60, total: 100}, status: 'Downloading'},
        {id: 'a', progressDetail: {}, status: 'Retrying in 1 second'},
        {id: 'a', progressDetail: {current: 10, total: 40}, status: 'Downloading'},
      ]),
    ).toEqual([
      {bytes: 60, extracting: false, total: 100},
      {bytes: 70, extracting: false, total: 100},
    ])
  })

  it('review U2-9: never has more bytes than there are, and never goes back', () => {
    const detail = fc.record({current: fc.nat(100), total: fc.constantFrom(-1, 0, 50, 100)}, {requiredKeys: []})
    const status = fc.constantFrom('Downloading', 'Extracting', 'Download complete', 'Pull complete', 'Waiting')
    const layers = ['a', 'b', 'c']
    const announced = layers.map((id) => ({id, status: 'Pulling fs layer'}))
    const line = fc.record({id: fc.constantFrom(...layers), progressDetail: detail, status})
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        let before = {bytes: 0, extracting: false, total: 0}
        for (const {bytes = 0, extracting, total = Infinity} of track([...announced, ...lines])) {
          expect(bytes).toBeLessThanOrEqual(total)
          expect(total).toBeGreaterThanOrEqual(before.total)
          if (before.extracting) expect(extracting).toBe(true)
          if (extracting === before.extracting) expect(bytes).toBeGreaterThanOrEqual(before.bytes)
          before = {bytes, extracting, total: total === Infinity ? 0 : total}
        }
      }),
    )
  })
})
