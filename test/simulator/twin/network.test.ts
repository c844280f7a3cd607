// Docker, downloads, HNS and the cluster on the twin: the host's and the real one's, until the twin has changed them.
import {describe, expect, test} from 'vitest'
import type {HttpRequest} from '../../../src/machine/http.js'
import type {Machine} from '../../../src/machine/machine.js'
import {open, PIPE} from './rig.js'

const docker = (method: HttpRequest['method'], path: string): HttpRequest => ({
  deadlineMs: 600_000,
  effect: method === 'GET' ? 'read' : 'change',
  method,
  pipe: PIPE,
  url: `http://docker/v1.41${path}`,
})

describe('Docker', () => {
  test("images are the host's, and pulled on the twin only; an unknown tag is taken for a fitting one", async () => {
    const {host, twin} = await open((world) =>
      world.docker.images.push({
        created: '2021-01-01T00:00:00.000Z',
        id: `sha256:${'ab'.repeat(32)}`,
        labels: {a: 'b'},
        osVersion: '10.0.17763.1',
        size: 1,
        tags: ['mine:1'],
      }),
    )
    const {http} = twin.machine
    const there = await http.request(docker('GET', '/images/mine:1/json'))
    expect(JSON.parse(there.body.toString())).toMatchObject({Config: {Labels: {a: 'b'}}, OsVersion: '10.0.17763.1'})
    const name = 'mcr.microsoft.com/windows/nanoserver'
    await http.request(docker('POST', `/images/create?fromImage=${name}&tag=of-next-year`))
    const pulled = await http.request(docker('GET', `/images/${name}:of-next-year/json`))
    expect(JSON.parse(pulled.body.toString())).toMatchObject({OsVersion: '10.0.17763.2237'})
    expect((await host.http.request(docker('GET', `/images/${name}:of-next-year/json`))).status).toBe(404)
    const info = await http.request(docker('GET', '/info'))
    expect(info.body).toEqual((await host.http.request(docker('GET', '/info'))).body)
  })

  test('that does not run does not run', async () => {
    const {twin} = await open((world) => (world.docker.running = false))
    await expect(twin.machine.http.request(docker('GET', '/version'))).rejects.toMatchObject({code: 'ENOENT'})
    await expect(twin.machine.http.request(docker('GET', '/images/a/json'))).rejects.toMatchObject({code: 'ENOENT'})
  })
})

describe('downloads and HNS', () => {
  test('a download is asked for, not done, and has the size and the digest its publisher reports', async () => {
    const {asked, twin} = await open()
    const url = 'https://dl.k8s.io/v1.21.7/kubernetes-node-windows-amd64.tar.gz'
    const {http} = twin.machine
    const get = {deadlineMs: 1000, effect: 'read', method: 'GET', url: `${url}.sha512`} as const
    const sidecar = (await http.request(get)).body.toString().trim()
    let size = 0
    const onProgress = (_: number, total: number | undefined): void => void (size = total ?? 0)
    const saved = await http.download({
      deadlineMs: 600_000,
      digest: 'sha512',
      onProgress,
      to: String.raw`C:\k\a.tgz`,
      url,
    })
    expect(saved).toMatchObject({digest: sidecar, status: 200})
    expect(size).toBe(88_000_000)
    expect(asked.filter((one) => one.endsWith(url))).toEqual([`HEAD ${url}`])
  })

  test('without the Containers feature there is no HNS on the twin either', async () => {
    const {twin} = await open((world) => (world.os.features = {containers: false}))
    await expect(twin.machine.win32.hnsCall('GET', '/networks/', '')).rejects.toMatchObject({call: 'LoadLibrary'})
  })

  test('a network is made on the twin only, and its adapter goes under the switch', async () => {
    const {host, twin} = await open()
    const request = JSON.stringify({Name: 'mine', NetworkAdapterName: 'Ethernet0', Type: 'Overlay'})
    expect((await twin.machine.win32.hnsCall('POST', '/networks/', request)).hresult).toBe(0)
    await twin.machine.clock.sleep(10_000)
    const names = async ({win32}: Machine): Promise<string[]> => (await win32.adapters()).map(({name}) => name)
    expect(await names(twin.machine)).toContain('vEthernet (Ethernet0)')
    expect(await names(host)).toContain('Ethernet0')
  })
})

describe('the cluster', () => {
  const NODE = {
    metadata: {labels: {a: 'b'}},
    spec: {podCIDR: '10.244.7.0/24'},
    status: {conditions: [{reason: 'KubeletReady', status: 'True', type: 'Ready'}]},
  }
  const request = (method: HttpRequest['method'], body?: string): HttpRequest => ({
    ...(body && {body, headers: {'content-type': 'application/merge-patch+json'}}),
    deadlineMs: 1000,
    effect: method === 'GET' ? 'read' : 'change',
    method,
    tls: {},
    url: 'https://10.0.0.10:6443/api/v1/nodes/win-1',
  })

  test('is asked for the node until the twin has changed it', async () => {
    const {asked, twin} = await open(() => {}, NODE)
    // The real one is asked, and does not know this client.
    await expect(twin.machine.http.request(request('GET'))).rejects.toMatchObject({
      code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    })
    const before = asked.length
    await twin.machine.http.request(request('PATCH', JSON.stringify({metadata: {labels: {c: 'd'}}})))
    const {body, status} = await twin.machine.http.request(request('GET'))
    expect({body: JSON.parse(body.toString()) as unknown, status}).toMatchObject({
      body: {metadata: {labels: {a: 'b', c: 'd'}}, spec: {podCIDR: '10.244.7.0/24'}},
      status: 200,
    })
    expect(asked.slice(before)).toEqual([])
  })
})
