// What is kept of a node: the kubelet's certificate, CNI configurations.
import {X509Certificate} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {examine, setUpNode} from './doctor-rig.js'

const PEM = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
const DAY_MS = 24 * 60 * 60_000
const CERTIFICATE = readFileSync(new URL('../host/certificates/client.pem', import.meta.url), 'utf8')

describe("the kubelet's certificate", () => {
  const withDays = async (days: number) => {
    const end = Date.parse(new X509Certificate(CERTIFICATE).validTo)
    const host = await setUpNode((world) => (world.os.time = end - days * DAY_MS))
    host.put(PEM, CERTIFICATE)
    return examine(host)
  }

  it('that has ended: KUBELET_CERTIFICATE_LAPSED', async () => {
    const {document} = await withDays(-2)
    expect(document.problems.map(({id}) => id)).toContain('KUBELET_CERTIFICATE_LAPSED')
  })

  it('review W5: that ends within 30 days and was not renewed: a warning with the fix', async () => {
    expect((await withDays(3)).check('node-identities')).toMatchObject({
      message: expect.stringMatching(/kubelet-client-current\.pem is valid only until .*kubectl get csr/) as string,
      result: 'warn',
    })
  })

  it('with time enough passes, and so does a file that holds none', async () => {
    expect((await withDays(400)).check('node-identities').result).toBe('pass')
    const host = await setUpNode()
    host.put(PEM, 'nonsense')
    expect((await examine(host)).check('node-identities').result).toBe('pass')
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
