// What is kept of a node: the kubelet's certificate, CNI configurations.
import type {World} from '../../src/simulator/world.js'
import {X509Certificate} from 'node:crypto'
import {describe, expect, it} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {pem} from '../host/cluster/loopback-cluster.js'
import {examine, setUpNode} from './doctor-rig.js'

const PEM = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
const DAY_MS = 24 * 60 * 60_000
const CERTIFICATE = `${NODE_CERTIFICATE.cert}${NODE_CERTIFICATE.key}`

describe("the kubelet's certificate", () => {
  const withDays = async (days: number) => {
    const end = Date.parse(new X509Certificate(CERTIFICATE).validTo)
    const host = await setUpNode((world) => (world.os.time = end - days * DAY_MS))
    // Another one than the kubeconfig's: the cluster has signed it.
    host.put(String.raw`k\kubeconfig`, makeKubeconfig('https://10.0.0.10:6443', ADMIN_CERTIFICATE))
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

  it('review W2: of another cluster: KUBELET_CERTIFICATE_STALE', async () => {
    const host = await setUpNode()
    host.put(PEM, `${pem('node-elsewhere.pem')}${pem('node-elsewhere.key')}`)
    const {document} = await examine(host)
    expect(document.problems.map(({id}) => id)).toContain('KUBELET_CERTIFICATE_STALE')
  })

  it('with time enough passes, and so does a file that holds none', async () => {
    expect((await withDays(400)).check('node-identities').result).toBe('pass')
    const host = await setUpNode()
    host.put(PEM, 'nonsense')
    expect((await examine(host)).check('node-identities').result).toBe('pass')
  })

  it('review S5: that fills the memory is read no further than a certificate can be long', async () => {
    const host = await setUpNode()
    host.put(PEM, 'x'.repeat(3 * 1024 ** 2))
    const whole: string[] = []
    const {document} = await examine(host, {
      wrap: (machine) =>
        interceptMachine(machine, ({args, what}, perform) => {
          if (what === 'read') whole.push(String(args[0]))
          return perform()
        }),
    })
    expect(whole.filter((path) => path.endsWith('.pem'))).toEqual([])
    expect(document.problems.map(({subject}) => subject)).toEqual(['kubelet-service'])
  })
})

describe('CNI configurations', () => {
  it("beside k8s-win's: a warning that names them", async () => {
    const host = await setUpNode()
    host.put(String.raw`k\cni\config\zz-nat.conflist`, '{}')
    expect((await examine(host)).check('cni-duplicates')).toMatchObject({
      message: expect.stringMatching(/zz-nat\.conflist besides/) as string,
      result: 'warn',
    })
  })

  it("k8s-win's gone: drift, and nothing else", async () => {
    const host = await setUpNode()
    host.remove(String.raw`k\cni\config\cni.conf`)
    const {check, document} = await examine(host)
    expect(check('cni-duplicates')).toMatchObject({result: 'pass'})
    expect(document.problems).toMatchObject([{id: 'DRIFTED', subject: 'cni-config'}])
  })
})

describe('csi-proxy', () => {
  const withCsiProxy =
    (build: number) =>
    ({os, services}: World): void => {
      os.build = build
      const entry = services['hns']
      if (entry) services['csiproxy'] = {...structuredClone(entry), name: 'csiproxy', processId: 7777}
    }

  it('without wmic on Windows Server 2025: a hint (sig-windows-tools#358)', async () => {
    const host = await setUpNode(withCsiProxy(26_100))
    expect((await examine(host)).check('csi-proxy')).toMatchObject({
      fix: expect.stringMatching(/capabilityname:WMIC/) as string,
      result: 'warn',
    })
    host.put(String.raw`Windows\System32\wbem\WMIC.exe`, 'MZ')
    expect((await examine(host)).check('csi-proxy').result).toBe('pass')
  })

  it('elsewhere, or not at all: nothing to say', async () => {
    expect((await examine(await setUpNode(withCsiProxy(20_348)))).check('csi-proxy').result).toBe('pass')
    expect((await examine(await setUpNode(({os}) => void (os.build = 26_100)))).check('csi-proxy').result).toBe('pass')
  })
})
