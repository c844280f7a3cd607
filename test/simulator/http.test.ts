// The HTTP client on the simulated host: who answers, what breaks, and downloads.
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import type {HttpRequest} from '../../src/machine/http.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {CLUSTER_CA, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'

const PIPE = '\\\\.\\pipe\\docker_engine'
const NODES = 'https://10.0.0.10:6443/api/v1/nodes'
const FLANNELD = 'https://github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld.exe'
const TLS = {ca: CLUSTER_CA, ...NODE_CERTIFICATE}

let dir: string
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'k8s-win-http-'))))
afterEach(() => rm(dir, {force: true, recursive: true}))

/** A host that was made unhealthy first. */
async function open(sicken: (world: World) => void = () => {}): Promise<Machine> {
  await openSimulator({dir, profile: 'ws2019'})
  const path = join(dir, 'machine.json')
  const world = JSON.parse(await readFile(path, 'utf8')) as World
  sicken(world)
  await writeFile(path, JSON.stringify(world))
  return openSimulator({dir, profile: 'ws2019'})
}

const get = (url: string, extra: Partial<HttpRequest> = {}): HttpRequest => ({
  deadlineMs: 60_000,
  effect: 'read',
  method: 'GET',
  url,
  ...extra,
})
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'an answer',
    (error: unknown) => (error instanceof HttpError ? error.code : String(error)),
  )

describe('who answers', () => {
  it("the cluster, with its own clock's time", async () => {
    const {clock, http} = await open((world) => (world.cluster.clockAheadMs = 3_600_000))
    const {headers} = await http.request(get(NODES, {tls: TLS}))
    const ahead = Date.parse(headers['date'] ?? '') - clock.now()
    expect(Math.abs(ahead - 3_600_000)).toBeLessThanOrEqual(1000)
  })

  it('Docker through its pipe, while it runs', async () => {
    const {http} = await open()
    expect((await http.request(get('http://docker/version', {pipe: PIPE}))).status).toBe(200)
    expect(await codeOf(http.request(get('http://docker/version', {pipe: '\\\\.\\pipe\\other'})))).toBe('ENOENT')
  })

  it.each<[string, (world: World) => void]>([
    ['its engine is not running', (world) => (world.docker.running = false)],
    ['its service is stopped', (world) => Object.assign(world.services['docker'] ?? {}, {state: 'stopped'})],
    ['there is no such service', (world) => delete world.services['docker']],
  ])('nothing through the pipe where %s', async (_, sicken) => {
    const {http} = await open(sicken)
    expect(await codeOf(http.request(get('http://docker/version', {pipe: PIPE})))).toBe('ENOENT')
  })

  it('the cluster, to those it knows', async () => {
    const {http} = await open()
    expect((await http.request(get(NODES, {tls: TLS}))).status).toBe(200)
    expect((await http.request(get(NODES, {tls: {ca: CLUSTER_CA}}))).status).toBe(403)
    const headers = {authorization: 'Bearer nonsense'}
    expect((await http.request(get(NODES, {headers, tls: {ca: CLUSTER_CA}}))).status).toBe(401)
    expect(await codeOf(http.request(get(NODES, {tls: NODE_CERTIFICATE})))).toBe('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')
  })

  it('the cluster, to those who do not verify it: without credentials they are anonymous', async () => {
    const {http} = await open()
    expect((await http.request(get(NODES, {tls: {isUnverified: true}}))).status).toBe(403)
  })

  it('nothing on loopback where no daemon listens, and nothing under an unknown name', async () => {
    const {http} = await open()
    expect(await codeOf(http.request(get('http://127.0.0.1:10248/healthz')))).toBe('ECONNREFUSED')
    expect(await codeOf(http.request(get('https://example.com/')))).toBe('ENOTFOUND')
  })
})

describe('what breaks', () => {
  it('refuses to connect to a cluster that is down, after a while', async () => {
    const {clock, http} = await open((world) => (world.cluster.reachable = false))
    const before = clock.now()
    expect(await codeOf(http.request(get(NODES, {tls: TLS})))).toBe('ECONNREFUSED')
    expect(clock.now() - before).toBe(2000)
  })

  it('reaches nothing outside while the host is off the network, but Docker', async () => {
    const {http} = await open((world) => (world.os.offlineUntil = Date.now() + 3_600_000))
    expect(await codeOf(http.request(get(NODES, {tls: TLS})))).toBe('ETIMEDOUT')
    expect(await codeOf(http.request(get(FLANNELD)))).toBe('ETIMEDOUT')
    expect((await http.request(get('http://docker/info', {pipe: PIPE}))).status).toBe(200)
  })

  it('ends at the deadline', async () => {
    const {clock, http} = await open((world) => (world.cluster.reachable = false))
    const before = clock.now()
    expect(await codeOf(http.request(get(NODES, {deadlineMs: 500, tls: TLS})))).toBe('ETIMEDOUT')
    expect(clock.now() - before).toBe(500)
  })

  it('ends with the reason of the caller', async () => {
    const {http} = await open()
    const controller = new AbortController()
    const url = 'http://docker/images/create?fromImage=mcr.microsoft.com/windows/servercore&tag=ltsc2019'
    const pull = get(url, {deadlineMs: 1e9, effect: 'change', method: 'POST', pipe: PIPE, signal: controller.signal})
    const {chunks} = await http.stream(pull)
    const reading = (async () => {
      for await (const chunk of chunks)
        if (Buffer.from(chunk).includes('Downloading')) controller.abort(new Error('enough'))
    })()
    await expect(reading).rejects.toThrow('enough')
    expect((JSON.parse(await readFile(join(dir, 'machine.json'), 'utf8')) as World).docker.images).toEqual([])
  })
})

describe('streams', () => {
  it('lets others continue while a pull takes its time', async () => {
    const {clock, http} = await open()
    const url = 'http://docker/images/create?fromImage=mcr.microsoft.com/windows/nanoserver&tag=1809'
    const start = clock.now()
    const {chunks} = await http.stream(get(url, {deadlineMs: 1e9, effect: 'change', method: 'POST', pipe: PIPE}))
    const times: number[] = []
    const watching = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await clock.sleep(1000)
        times.push(clock.now() - start)
      }
    })()
    for await (const chunk of chunks) expect(JSON.parse(Buffer.from(chunk).toString())).toBeDefined()
    await watching
    expect(times).toEqual([1000, 2000, 3000])
    expect((JSON.parse(await readFile(join(dir, 'machine.json'), 'utf8')) as World).docker.images).toHaveLength(1)
  })
})

describe('downloads', () => {
  it('are saved with the digest of what they stand for', async () => {
    const {clock, files, http} = await open()
    const before = clock.now()
    const progress: (readonly [number, number | undefined])[] = []
    const download = await http.download({
      deadlineMs: 600_000,
      onProgress: (bytes, total) => progress.push([bytes, total]),
      to: 'C:\\k\\flanneld.exe',
      url: FLANNELD,
    })
    expect(download).toMatchObject({
      digest: '7d43b3de5635891e68b36458d912a94c2eb94e15d878d486f539309db5845861',
      status: 200,
    })
    expect(download.bytes).toBe((await files.status('C:\\k\\flanneld.exe'))?.size)
    expect(await files.digest('C:\\k\\flanneld.exe', 'sha256')).toBe(download.digest)
    expect(progress.at(-1)).toEqual([45_000_000, 45_000_000])
    expect(clock.now() - before).toBeGreaterThan(1000)
  })

  it.each<[NonNullable<World['downloads'][string]['fault']>, string]>([
    ['truncated', 'TRUNCATED'],
    ['unreachable', 'ECONNREFUSED'],
  ])('that are %s save nothing', async (fault, code) => {
    const {files, http} = await open((world) => (world.downloads[FLANNELD] = {fault}))
    const to = 'C:\\k\\flanneld.exe'
    expect(await codeOf(http.download({deadlineMs: 600_000, to, url: FLANNELD}))).toBe(code)
    expect(await files.status(to)).toBeUndefined()
  })

  it('that are not found save nothing and say so', async () => {
    const {files, http} = await open((world) => (world.downloads[FLANNELD] = {fault: 'not-found'}))
    const to = 'C:\\k\\flanneld.exe'
    const download = await http.download({deadlineMs: 600_000, to, url: FLANNELD})
    expect(download).toEqual({bytes: 0, digest: '', status: 404})
    expect(await files.status(to)).toBeUndefined()
  })

  it('that were tampered with have another digest', async () => {
    const {http} = await open((world) => (world.downloads[FLANNELD] = {fault: 'wrong-bytes'}))
    const download = await http.download({deadlineMs: 600_000, to: 'C:\\k\\flanneld.exe', url: FLANNELD})
    expect(download.digest).not.toMatch(/^7d43b3de/)
  })

  it('break when the host goes off the network on the way', async () => {
    const {clock, files, http, win32} = await open()
    const to = 'C:\\k\\kubernetes.tar.gz'
    const url = 'https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz'
    const download = codeOf(http.download({deadlineMs: 60_000, to, url}))
    await clock.sleep(1000)
    const network = {
      Name: 'External',
      NetworkAdapterName: 'Ethernet0',
      Subnets: [
        {AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1', Policies: [{Type: 'VSID', VSID: 9999}]},
      ],
      Type: 'overlay',
    }
    const reply = await win32.hnsCall('POST', '/networks/', JSON.stringify(network))
    expect(JSON.parse(reply.response)).toMatchObject({Success: true})
    expect(await download).toBe('TRUNCATED')
    expect(await files.status(to)).toBeUndefined()
  })

  it('end at their deadline, and need a folder', async () => {
    const {http} = await open()
    expect(await codeOf(http.download({deadlineMs: 100, to: 'C:\\k\\x.exe', url: FLANNELD}))).toBe('ETIMEDOUT')
    const missing = http.download({deadlineMs: 60_000, to: 'C:\\none\\x.exe', url: FLANNELD})
    await expect(missing).rejects.toMatchObject({code: 'ENOENT', name: 'FileError'})
  })
})

describe('review J4: connections', () => {
  const kept: HttpRequest = {deadlineMs: 5000, effect: 'read', isKept: true, method: 'GET', tls: TLS, url: NODES}

  async function connections(work: (machine: Machine) => Promise<unknown>): Promise<number[]> {
    const machine = await open()
    await work(machine)
    const lines = (await readFile(join(dir, 'transcript.ndjson'), 'utf8')).trim().split('\n')
    return lines.map((line) => (JSON.parse(line) as {connection?: number}).connection ?? 0)
  }

  it('are kept, four of them for one certificate, and for 30 s', async () => {
    const used = await connections(async ({clock, http}) => {
      await Promise.all(Array.from({length: 10}, () => http.request(kept)))
      await http.request({...kept, tls: {ca: CLUSTER_CA}})
      await http.request(kept)
      await clock.sleep(31_000)
      await http.request(kept)
    })
    expect(new Set(used.slice(0, 10))).toEqual(new Set([1, 2, 3, 4]))
    expect(used[10]).toBe(5)
    expect(used[11]).toBeLessThanOrEqual(4)
    expect(used[12]).toBe(6)
  })

  it('are opened for each request that keeps none, and anew after disconnect', async () => {
    const {isKept: _, ...single} = kept
    const used = await connections(async ({http}) => {
      for (const request of [single, single, kept, kept]) await http.request(request)
      http.disconnect()
      await http.request(kept)
    })
    expect(used).toEqual([1, 2, 3, 3, 4])
  })
})
