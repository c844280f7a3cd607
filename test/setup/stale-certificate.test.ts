// review W2: a certificate that the kubelet got from another cluster wins over the new kubeconfig, until it is moved aside.
import {describe, expect, test} from 'vitest'
import {ADMIN_CERTIFICATE, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {pem} from '../host/loopback-cluster.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from './in-process.js'
import {SimulatedHost} from './simulated-host.js'

const CURRENT = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
const ASIDE = `${CURRENT}.before-k8s-win`

describe('review W2: a kubelet certificate that was there before', () => {
  test.each([
    ['of another cluster, for this node', `${pem('node-elsewhere.pem')}${pem('node-elsewhere.key')}`],
    ['of this cluster, for somebody else', `${ADMIN_CERTIFICATE.cert}${ADMIN_CERTIFICATE.key}`],
    ['that is none', 'nonsense'],
  ])('%s is moved aside, and reset puts it back', async (_, content) => {
    const host = await SimulatedHost.make()
    host.put(CURRENT, content)
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect({aside: host.read(ASIDE), isThere: host.has(CURRENT)}).toEqual({aside: content, isThere: false})
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    const reset = await resetOn(host.dir, {given: {purge: true}})
    expect(reset.result.error).toBeUndefined()
    expect({isAside: host.has(ASIDE), now: host.read(CURRENT)}).toEqual({isAside: false, now: content})
  })

  test('that the API server accepts stays', async () => {
    const host = await SimulatedHost.make()
    const content = `${NODE_CERTIFICATE.cert}${NODE_CERTIFICATE.key}`
    host.put(CURRENT, content)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect({isAside: host.has(ASIDE), now: host.read(CURRENT)}).toEqual({isAside: false, now: content})
  })
})
