// What is kept of a node: images, the kubelet's certificate, CNI configurations, firewall rules.
import {X509Certificate} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {examine, setUpNode} from './doctor-rig.js'

const PEM = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
const DAY_MS = 24 * 60 * 60_000
const CERTIFICATE = readFileSync(new URL('../host/certificates/client.pem', import.meta.url), 'utf8')

describe('the pause image', () => {
  it('of another build of Windows: IMAGE_OF_OTHER_BUILD', async () => {
    const host = await setUpNode((world) => {
      for (const image of world.docker.images) {
        if (image.tags.some((tag) => tag.startsWith('kubeletwin/pause'))) image.osVersion = '10.0.20348.587'
      }
    })
    expect((await examine(host)).check('image-build')).toMatchObject({
      cause: expect.stringMatching(/of build 20348 and this host of 17763/) as string,
      message: 'The image kubeletwin/pause does not go with this Windows',
      result: 'fail',
    })
  })

  it('that is gone: a warning', async () => {
    const host = await setUpNode((world) => (world.docker.images = []))
    expect((await examine(host)).check('image-build')).toMatchObject({
      message: expect.stringMatching(/is not there/) as string,
      result: 'warn',
    })
  })

  it('is not looked at while Docker is silent', async () => {
    const host = await setUpNode((world) => (world.docker.running = false))
    expect((await examine(host)).check('image-build').looked).toBe(false)
  })
})

describe("the kubelet's certificate", () => {
  const withDays = async (days: number) => {
    const end = Date.parse(new X509Certificate(CERTIFICATE).validTo)
    const host = await setUpNode((world) => (world.os.time = end - days * DAY_MS))
    host.put(PEM, CERTIFICATE)
    return examine(host)
  }

  it('that has ended: KUBELET_CERTIFICATE_LAPSED', async () => {
    expect((await withDays(-2)).check('kubelet-certificate')).toMatchObject({
      cause: expect.stringMatching(/kubelet-client-current\.pem ended on/) as string,
      result: 'fail',
    })
  })

  it('that ends soon: a warning', async () => {
    expect((await withDays(3)).check('kubelet-certificate')).toMatchObject({
      fix: expect.stringMatching(/kubectl get csr/) as string,
      result: 'warn',
    })
  })

  it('with time enough: its days', async () => {
    expect((await withDays(100)).check('kubelet-certificate').message).toMatch(/^(?:99|100) days left$/)
  })

  it('that is none is not looked at', async () => {
    const host = await setUpNode()
    host.put(PEM, 'nonsense')
    expect((await examine(host)).check('kubelet-certificate').looked).toBe(false)
  })
})

describe('CNI configurations', () => {
  it('beside ours: a warning that names them', async () => {
    const host = await setUpNode()
    host.put(String.raw`k\cni\config\zz-nat.conflist`, '{}')
    expect((await examine(host)).check('cni-duplicates')).toMatchObject({
      message: expect.stringMatching(/zz-nat\.conflist beside ours/) as string,
      result: 'warn',
    })
  })

  it('ours gone: a warning', async () => {
    const host = await setUpNode()
    host.remove(String.raw`k\cni\config\cni.conf`)
    expect((await examine(host)).check('cni-duplicates')).toMatchObject({
      message: expect.stringMatching(/cni\.conf is not there/) as string,
      result: 'warn',
    })
  })
})

describe('firewall rules', () => {
  it('of our name that somebody else made have one answer: FOREIGN_FIREWALL_RULE', async () => {
    const host = await setUpNode((world) => {
      Object.assign(world.firewall['k8s-win kubelet TCP 10250']?.[0] ?? {}, {description: 'mine', localPort: '99'})
    })
    const {check, notable} = await examine(host)
    expect(notable).toEqual({'firewall-rules': 'fail', 'node-firewall': 'not looked at'})
    expect(check('firewall-rules').fix).toContain('--adopt')
  })

  it.each([
    ['removed', (rules: Record<string, unknown>, name: string) => Reflect.deleteProperty(rules, name)],
    [
      'disabled',
      (rules: Record<string, unknown>, name: string) =>
        Object.assign((rules[name] as object[])[0] ?? {}, {enabled: false}),
    ],
  ])('%s: FIREWALL_RULE_MISSING', async (_, spoil) => {
    const host = await setUpNode((world) => void spoil(world.firewall, 'k8s-win flannel VXLAN UDP 4789'))
    expect((await examine(host)).check('node-firewall')).toMatchObject({
      message: 'Firewall rules are not as setup made them: k8s-win flannel VXLAN UDP 4789',
      result: 'fail',
    })
  })
})
