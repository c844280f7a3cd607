import {createHash} from 'node:crypto'
import {link, readdir, readFile, symlink, writeFile} from 'node:fs/promises'
import type {RequestListener} from 'node:http'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {scratchFolder} from './scratch.js'
import {serve} from './servers.js'

const {http} = openRealMachine({environment: {}})
const content = Buffer.alloc(300_000, 'k8s-win ')
const hex = (algorithm: string) => createHash(algorithm).update(content).digest('hex')

async function prepare(listener: RequestListener) {
  const folder = await scratchFolder()
  return {folder, to: join(folder, 'node.tar.gz'), url: await serve(listener)}
}

describe('a download', () => {
  it('is saved whole, digested and counted', async () => {
    const {folder, to, url} = await prepare((_, response) =>
      response.writeHead(200, {'content-length': String(content.length)}).end(content),
    )
    await writeFile(to, 'old')
    const progress: [number, number | undefined][] = []
    const saved = await http.download({deadlineMs: 5000, onProgress: (...seen) => progress.push(seen), to, url})
    expect(saved).toEqual({bytes: content.length, digest: hex('sha256'), status: 200})
    expect((await readFile(to)).equals(content)).toBe(true)
    expect(await readdir(folder)).toEqual(['node.tar.gz'])
    expect(progress.at(-1)).toEqual([content.length, content.length])
    expect(progress.map(([bytes]) => bytes)).toEqual(progress.map(([bytes]) => bytes).sort((a, b) => a - b))
  })

  it('has the digest that was asked for', async () => {
    const {to, url} = await prepare((_, response) => response.end(content))
    expect((await http.download({deadlineMs: 5000, digest: 'sha512', to, url})).digest).toBe(hex('sha512'))
  })

  it('without a length reports none', async () => {
    const {to, url} = await prepare((_, response) => {
      response.write('a')
      response.end('b')
    })
    let total: number | undefined = 1
    await http.download({deadlineMs: 5000, onProgress: (_, announced) => (total = announced), to, url})
    expect(total).toBeUndefined()
    expect(await readFile(to, 'utf8')).toBe('ab')
  })

  it.each([404, 500, 204])('with status %i saves nothing', async (status) => {
    const {folder, to, url} = await prepare((_, response) => response.writeHead(status).end())
    expect(await http.download({deadlineMs: 5000, to, url})).toEqual({bytes: 0, digest: '', status})
    expect(await readdir(folder)).toEqual([])
  })

  it('is visible under its name only when it is whole', async () => {
    let finish: () => void = () => undefined
    const {folder, to, url} = await prepare((_, response) => {
      response.write('first ')
      finish = () => response.end('second')
    })
    let during: string[] = []
    const onProgress = () => {
      if (during.length > 0) return
      during = ['pending']
      void readdir(folder).then((names) => {
        during = names
        finish()
      })
    }
    await http.download({deadlineMs: 5000, onProgress, to, url})
    expect(during).toEqual(['node.tar.gz.partial'])
    expect(await readdir(folder)).toEqual(['node.tar.gz'])
  })

  it('review S6: is never written through another name that lies in its way', async () => {
    const {folder, to, url} = await prepare((_, response) => response.end(content))
    const [victim, other] = [join(folder, 'victim'), join(folder, 'other')]
    await writeFile(victim, 'precious')
    await link(victim, `${to}.partial`)
    await http.download({deadlineMs: 5000, to, url})
    expect(await readFile(victim, 'utf8')).toBe('precious')
    await symlink(victim, `${other}.partial`)
    await http.download({deadlineMs: 5000, to: other, url})
    expect(await readFile(victim, 'utf8')).toBe('precious')
    expect((await readFile(other)).equals(content)).toBe(true)
  })

  it('that is cut short leaves what was there', async () => {
    const {folder, to, url} = await prepare((request, response) => {
      response.writeHead(200, {'content-length': '1000'})
      response.write('part', () => request.socket.destroy())
    })
    await writeFile(to, 'old')
    await expect(http.download({deadlineMs: 5000, to, url})).rejects.toMatchObject({
      code: 'TRUNCATED',
      name: 'HttpError',
    })
    expect(await readdir(folder)).toEqual(['node.tar.gz'])
    expect(await readFile(to, 'utf8')).toBe('old')
  })

  it('ends at its deadline and removes its part', async () => {
    const {folder, to, url} = await prepare((_, response) => void response.write('part'))
    await expect(http.download({deadlineMs: 40, to, url})).rejects.toMatchObject({code: 'ETIMEDOUT'})
    expect(await readdir(folder)).toEqual([])
  })

  it('ends when the caller wants, with the caller’s reason', async () => {
    const controller = new AbortController()
    const {folder, to, url} = await prepare((_, response) => void response.write('part'))
    const reason = new Error('interrupted')
    const pending = http.download({
      deadlineMs: 5000,
      onProgress: () => controller.abort(reason),
      signal: controller.signal,
      to,
      url,
    })
    await expect(pending).rejects.toBe(reason)
    expect(await readdir(folder)).toEqual([])
  })

  it('into a folder that is not there is a file error', async () => {
    const {folder, url} = await prepare((_, response) => response.end('x'))
    const to = join(folder, 'none', 'x')
    await expect(http.download({deadlineMs: 5000, to, url})).rejects.toMatchObject({code: 'ENOENT', name: 'FileError'})
  })
})
