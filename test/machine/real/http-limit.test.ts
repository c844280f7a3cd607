// No answer, stream or download grows beyond its limit, whoever sends it.
import {readdir} from 'node:fs/promises'
import {createServer, type RequestListener, type ServerResponse} from 'node:http'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {bounded, LARGEST_ANSWER, LARGEST_DOWNLOAD} from '../../../src/machine/http-limit.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {failure, get} from './requests.js'
import {scratchFolder} from './scratch.js'
import {listening, serve} from './servers.js'

const {http} = openRealMachine({environment: {}})
const PIECE = Buffer.alloc(65_536, 'x')

/** Sends until nothing listens any more, and counts. */
function endless(): {listener: RequestListener; readonly sent: () => number} {
  let sent = 0
  const send = (response: ServerResponse): void => {
    if (response.destroyed) return
    sent += PIECE.length
    response.write(PIECE, () => send(response))
  }
  return {listener: (_, response) => send(response), sent: () => sent}
}

/** Announces a size, and sends next to nothing. */
const announcing =
  (bytes: number): RequestListener =>
  (_, response) =>
    void response.writeHead(200, {'content-length': String(bytes)}).write('x')

describe('an answer', () => {
  it('review S10: without an end is read up to the limit only', async () => {
    const {listener, sent} = endless()
    const error = await failure(http.request(get(await serve(listener), {maxBytes: 1_000_000})))
    expect(error.code).toBe('TOO_LARGE')
    expect(sent()).toBeLessThan(20_000_000)
  })

  it('review S10: has a limit where one is not given, and what announces more is not read at all', async () => {
    const url = await serve(announcing(LARGEST_ANSWER + 1))
    expect((await failure(http.request(get(url)))).code).toBe('TOO_LARGE')
  })

  it('review S10: without an announced size and without a limit ends, too', async () => {
    const {listener, sent} = endless()
    const error = await failure(http.request(get(await serve(listener), {deadlineMs: 30_000})))
    expect(error.code).toBe('TOO_LARGE')
    expect(sent()).toBeLessThan(2 * LARGEST_ANSWER)
  })

  it('review S10: of exactly the limit is whole; of HEAD only the size is reported', async () => {
    const url = await serve((_, response) => response.end(PIECE))
    expect((await http.request(get(url, {maxBytes: PIECE.length}))).body).toHaveLength(PIECE.length)
    const head = await serve((_, response) => response.writeHead(200, {'content-length': '999999999'}).end())
    expect((await http.request(get(head, {maxBytes: 10, method: 'HEAD'}))).status).toBe(200)
  })

  it('review S10: of a pipe has the same limit', async () => {
    const pipe = join(await scratchFolder(), 'docker')
    await listening(createServer(endless().listener), pipe)
    const error = await failure(http.request(get('http://docker/info', {maxBytes: 1_000_000, pipe})))
    expect(error.code).toBe('TOO_LARGE')
  })

  it('review S10: read piece by piece ends at the limit', async () => {
    const {chunks} = await http.stream(get(await serve(endless().listener), {maxBytes: 1_000_000}))
    let bytes = 0
    const reading = (async () => {
      for await (const chunk of chunks) bytes += chunk.length
    })()
    expect((await failure(reading)).code).toBe('TOO_LARGE')
    expect(bytes).toBeLessThanOrEqual(1_000_000)
  })
})

describe('a download', () => {
  it.each([
    ['without an end', () => endless().listener, 1_000_000],
    ['that announces too much', () => announcing(1_000_001), 1_000_000],
    ['that announces more than anything has', () => announcing(LARGEST_DOWNLOAD + 1), undefined],
  ])('review S10: %s is not saved', async (_, listener, maxBytes) => {
    const folder = await scratchFolder()
    const url = await serve(listener())
    const limit = maxBytes === undefined ? {} : {maxBytes}
    const error = await failure(http.download({deadlineMs: 5000, ...limit, to: join(folder, 'a'), url}))
    expect(error.code).toBe('TOO_LARGE')
    expect(await readdir(folder)).toEqual([])
  })
})

it('review S10: what is reported of it has no credentials', async () => {
  async function* pieces() {
    yield PIECE
  }
  const read = async () => {
    for await (const piece of bounded(pieces(), 'https://me:hunter2@server/a?token=hunter2', 10))
      expect(piece).toBeDefined()
  }
  expect(String(await failure(read()))).not.toContain('hunter2')
})
