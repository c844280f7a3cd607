// An artifact is verified in the downloads folder, or it is not there.
import {createHash} from 'node:crypto'

import {beforeEach, describe, expect, it} from 'vitest'

import type {Artifact} from '../../src/artifacts/catalog.js'
import type {KnownDigest} from '../../src/artifacts/digests.js'
import {demandDigest, fetchArtifact} from '../../src/artifacts/fetch.js'
import {type Http, HttpError, type HttpResponse} from '../../src/machine/http.js'
import {tooLarge} from '../../src/machine/http-limit.js'
import {type MemoryFiles, memoryFiles} from '../fakes/memory-files.js'

const CONTENT = 'the program'
const URL = 'https://example.com/flanneld.exe'
const PATH = String.raw`C:\k\downloads\flanneld.exe`
const {signal} = new AbortController()
const sha = (algorithm: 'sha256' | 'sha512', text = CONTENT): string => createHash(algorithm).update(text).digest('hex')
const pinned = (text = CONTENT): KnownDigest => ({algorithm: 'sha256', hex: sha('sha256', text), source: 'a pin'})
const ARTIFACT: Artifact = {fileName: 'flanneld.exe', id: 'flanneld', maxBytes: 5000, url: URL, version: '0.28.0'}
const withSidecar = (algorithm: 'sha256' | 'sha512'): Artifact => ({
  ...ARTIFACT,
  sidecar: {algorithm, url: `${URL}.${algorithm}`},
})

let files: MemoryFiles
let downloads: string[]
beforeEach(() => {
  files = memoryFiles({[String.raw`C:\k\downloads\other`]: 'other'})
  downloads = []
})

interface Server {
  readonly body?: string
  readonly sidecar?: Partial<HttpResponse> | Error
  readonly status?: number | Error
}

function fetching(artifact: Artifact, {body = CONTENT, sidecar = {}, status = 200}: Server = {}): Promise<string> {
  const http: Http = {
    disconnect() {},
    async download({deadlineMs, digest = 'sha256', maxBytes, onProgress, to, url}) {
      downloads.push(url)
      expect({deadlineMs, maxBytes}).toEqual({deadlineMs: 1_800_000, maxBytes: artifact.maxBytes})
      if (status instanceof Error) throw status
      if (status === 200) await files.write(to, body)
      onProgress?.(body.length, undefined)
      return {bytes: body.length, digest: status === 200 ? sha(digest, body) : '', status}
    },
    async request({deadlineMs, effect, maxBytes, method, url}) {
      expect({deadlineMs, effect, maxBytes, method, url}).toEqual({
        deadlineMs: 60_000,
        effect: 'read',
        maxBytes: 65_536,
        method: 'GET',
        url: artifact.sidecar?.url,
      })
      if (sidecar instanceof Error) throw sidecar
      return {body: Buffer.alloc(0), headers: {}, status: 200, ...sidecar}
    },
    stream: () => Promise.reject(new Error('no stream was expected')),
  }
  return fetchArtifact(artifact, {files, folder: String.raw`C:\k\downloads`, http, onProgress: () => {}, signal})
}

const isThere = async (): Promise<boolean> => (await files.status(PATH)) !== undefined

describe('with a pinned digest', () => {
  const artifact = {...ARTIFACT, digest: pinned()}

  it('review S10: one that is larger than it can be is refused with its error', async () => {
    await expect(fetching(artifact, {status: tooLarge(URL, 5000)})).rejects.toMatchObject({
      exitCode: 4,
      id: 'DOWNLOAD_FAILED',
      reason: expect.stringContaining('TOO_LARGE') as string,
    })
  })

  it('the right file is fetched', async () => {
    expect(await fetching(artifact)).toBe(PATH)
    expect((await files.read(PATH))?.toString()).toBe(CONTENT)
    expect(downloads).toEqual([URL])
  })

  it('one that is there already is not fetched again', async () => {
    await files.write(PATH, CONTENT)
    expect(await fetching(artifact)).toBe(PATH)
    expect(downloads).toEqual([])
  })

  it('one that is there but cut short is fetched again (defect 10)', async () => {
    await files.write(PATH, CONTENT.slice(0, 5))
    expect(await fetching(artifact)).toBe(PATH)
    expect((await files.read(PATH))?.toString()).toBe(CONTENT)
  })

  it('a folder in its place is not taken for it', async () => {
    await files.makeDirectory(PATH)
    await expect(fetching(artifact)).rejects.toMatchObject({code: 'EPERM'})
    expect(downloads).toEqual([URL])
  })

  it('a wrong file is thrown away, and both digests are reported', async () => {
    const error = (await fetching(artifact, {body: 'malware'}).catch((error_: unknown) => error_)) as {reason: string}
    expect(error).toMatchObject({exitCode: 4, id: 'WRONG_DIGEST'})
    expect(error.reason).toContain(sha('sha256'))
    expect(error.reason).toContain(sha('sha256', 'malware'))
    expect(error.reason).toContain('a pin')
    expect(await isThere()).toBe(false)
  })

  it('one that has not the digest of --digest is not called another than the published one', async () => {
    const digest = {...pinned('another'), source: '--digest flanneld'}
    await expect(fetching({...ARTIFACT, digest})).rejects.toMatchObject({
      fix: expect.stringMatching(/^Correct --digest flanneld=/) as string,
      id: 'WRONG_DIGEST',
      reason: expect.stringContaining('was passed with --digest') as string,
    })
  })

  it('a file that does not exist is a matter of the version, not of the network', async () => {
    const fix = expect.stringContaining('version 0.28.0 exists') as string
    await expect(fetching(artifact, {status: 404})).rejects.toMatchObject({fix, id: 'DOWNLOAD_FAILED'})
  })

  it.each([403, 404, 500])('the answer %i installs nothing', async (status) => {
    await expect(fetching(artifact, {status})).rejects.toMatchObject({
      exitCode: 4,
      id: 'DOWNLOAD_FAILED',
      reason: `The server returned ${status}.`,
    })
    expect(await isThere()).toBe(false)
  })

  it('no answer is reported with its code', async () => {
    const status = new HttpError(URL, 'ECONNRESET', 'the connection was cut')
    await expect(fetching(artifact, {status})).rejects.toMatchObject({
      cause: status,
      id: 'DOWNLOAD_FAILED',
      reason: 'the connection was cut (ECONNRESET).',
    })
  })

  it('what is not of the network is passed on as it is', async () => {
    const status = new Error('enough')
    await expect(fetching(artifact, {status})).rejects.toBe(status)
  })
})

describe("with its publisher's digest", () => {
  it.each([
    ['bare', `${sha('sha512')}`],
    ['between line ends', `\n ${sha('sha512')}\n`],
    ['as sha512sum writes it', `${sha('sha512')}  kubernetes-node-windows-amd64.tar.gz\n`],
    ['in capitals', sha('sha512').toUpperCase()],
  ])('%s, the file is verified', async (_, text) => {
    const sidecar = {body: Buffer.from(text)}
    expect(await fetching(withSidecar('sha512'), {sidecar})).toBe(PATH)
    await expect(fetching(withSidecar('sha512'), {body: 'malware', sidecar})).resolves.toBe(PATH)
    await files.remove(PATH)
    await expect(fetching(withSidecar('sha512'), {body: 'malware', sidecar})).rejects.toMatchObject({
      id: 'WRONG_DIGEST',
    })
    expect(await isThere()).toBe(false)
  })

  it.each([
    ['is not there', {status: 404}],
    ['comes with a refusal', {body: Buffer.from(sha('sha256')), status: 403}],
    ['is of the other kind', {body: Buffer.from(sha('sha512'))}],
    ['is a page', {body: Buffer.from('<html>not found</html>')}],
    ['is empty', {}],
    ['is cut short', {body: Buffer.from(sha('sha256').slice(1))}],
  ])('which %s, nothing is fetched', async (_, sidecar) => {
    await expect(fetching(withSidecar('sha256'), {sidecar})).rejects.toMatchObject({exitCode: 4, id: 'NO_DIGEST'})
    expect(downloads).toEqual([])
  })

  it('which cannot be had, that is reported and not that there is none', async () => {
    const refused = new HttpError(URL, 'ENOTFOUND', 'no such host')
    for (const sidecar of [{status: 500}, {status: 503}, refused]) {
      await expect(fetching(withSidecar('sha256'), {sidecar})).rejects.toMatchObject({id: 'DOWNLOAD_FAILED'})
    }
  })

  it('a pinned one is not asked for again', async () => {
    const sidecar = new Error('it was asked for')
    expect(await fetching({...withSidecar('sha256'), digest: pinned()}, {sidecar})).toBe(PATH)
  })
})

it('without any digest nothing is fetched, and it is said how to give one', async () => {
  await expect(fetching(ARTIFACT)).rejects.toMatchObject({
    fix: expect.stringContaining('pass --digest flanneld=sha256:<hex>') as string,
    id: 'NO_DIGEST',
  })
  expect(downloads).toEqual([])
})

it('demandDigest leaves what is right', async () => {
  await files.write(PATH, CONTENT)
  await demandDigest(files, ARTIFACT, PATH, pinned(), sha('sha256'))
  expect(await isThere()).toBe(true)
})
