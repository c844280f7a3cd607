import {describe, expect, test} from 'vitest'
import type {DownloadState} from '../../src/simulator/world.js'
import {HostInMemory} from './host-in-memory.js'
import {sample} from '../sample.js'

const KUBERNETES = 'https://dl.k8s.io/v1.21.5/kubernetes-node-windows-amd64.tar.gz'
const CNI =
  'https://github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-windows-amd64-v1.9.1.tgz'
const FLANNELD = 'https://github.com/flannel-io/flannel/releases/download/v0.28.9/flanneld.exe'

const faulty = (url: string, fault: DownloadState['fault']): Promise<HostInMemory> =>
  HostInMemory.make((world) => {
    if (fault) world.downloads[url] = {fault}
  })

describe('bytes that are wrong are never installed', () => {
  test.each(
    sample(
      [
        {
          fault: 'wrong-bytes',
          id: 'WRONG_DIGEST',
          installed: String.raw`k\kubernetes\node\bin\kubelet.exe`,
          url: KUBERNETES,
        },
        {
          fault: 'truncated',
          id: 'DOWNLOAD_FAILED',
          installed: String.raw`k\kubernetes\node\bin\kubelet.exe`,
          url: KUBERNETES,
        },
        {
          fault: 'not-found',
          id: 'DOWNLOAD_FAILED',
          installed: String.raw`k\kubernetes\node\bin\kubelet.exe`,
          url: KUBERNETES,
        },
        {fault: 'unreachable', id: 'DOWNLOAD_FAILED', installed: String.raw`k\flanneld.exe`, url: FLANNELD},
        {
          fault: 'missing-member',
          id: 'BAD_ARCHIVE',
          installed: String.raw`k\kubernetes\node\bin\kubectl.exe`,
          url: KUBERNETES,
        },
        {fault: 'missing-member', id: 'BAD_ARCHIVE', installed: String.raw`k\cni\host-local.exe`, url: CNI},
        {fault: 'wrong-bytes', id: 'WRONG_DIGEST', installed: String.raw`k\flanneld.exe`, url: FLANNELD},
      ] as const,
      4,
    ),
  )('$fault of $url: exit 4, $id', async ({fault, id, installed, url}) => {
    const host = await faulty(url, fault)

    const {code, result} = await host.setup()

    expect({code, id: result.error?.id}).toEqual({code: 4, id})
    expect(host.has(installed)).toBe(false)
    expect(result.changesPending).toBe(true)
    expect(host.world.services).not.toHaveProperty('kubelet')

    host.edit((world) => (world.downloads = {}))
    const again = await host.setup()
    expect({code: again.code, ready: again.result.node?.ready}).toEqual({code: 0, ready: true})
  })

  test("a user's digest that is not that of the file", async () => {
    const host = await HostInMemory.make()
    const {code, result} = await host.setup('--digest', `flanneld=sha256:${'0'.repeat(64)}`)
    expect({code, id: result.error?.id}).toEqual({code: 4, id: 'WRONG_DIGEST'})
    expect(host.has(String.raw`k\flanneld.exe`)).toBe(false)
  })

  test('a version without a published digest is refused, with the way out', async () => {
    const host = await HostInMemory.make()
    const refused = await host.setup('--flannel-version', '0.27.4')
    expect({code: refused.code, id: refused.result.error?.id}).toEqual({code: 4, id: 'NO_DIGEST'})
    expect(refused.result.error?.fix).toContain('--digest flanneld=sha256:')

    const given = await host.setup('--flannel-version', '0.27.4', '--digest', `flanneld=sha256:${'ab'.repeat(32)}`)
    expect({code: given.code, ready: given.result.node?.ready}).toEqual({code: 0, ready: true})
  })

  test('a version in no catalogue is verified by its published digest', async () => {
    const host = await HostInMemory.make()
    const {code} = await host.setup('--release', '1.21.99')
    expect(code).toBe(0)
    const asked = host.transcript.filter((line) => JSON.stringify(line).includes('.sha512'))
    expect(asked).not.toEqual([])
  })
})

describe('base images', () => {
  test('one for another build: which build the host has, which the image has, which tag to use', async () => {
    const host = await HostInMemory.make()
    const {code, result} = await host.setup('--nanoserver-tag', 'ltsc2022')
    expect({code, id: result.error?.id}).toEqual({code: 4, id: 'IMAGE_MISMATCH'})
    expect(result.error?.cause).toMatch(/17763.*20348/)
    expect(result.error?.fix).toContain('1809')
  })

  test('one that is not there', async () => {
    const host = await HostInMemory.make()
    const {code, result} = await host.setup('--servercore-tag', 'ltsc1999')
    expect({code, id: result.error?.id}).toEqual({code: 4, id: 'PULL_FAILED'})
    expect(result.error?.cause).toMatch(/manifest unknown/)
  })

  test('a mirror with the same paths', async () => {
    const host = await HostInMemory.make()
    const {code} = await host.setup('--image-registry', 'mirror.example.com:5000')
    expect(code).toBe(0)
    const tags = host.world.docker.images.flatMap((image) => image.tags)
    expect(tags).toContain('mirror.example.com:5000/windows/nanoserver:1809')
    expect(tags).toContain('mirror.example.com:5000/windows/nanoserver:latest')
  })
})
