// review W2: while the certificate in its store is valid the kubelet never shows its kubeconfig's: that this one has ended
// does not matter to the node, but to every daemon that has no other.
import {describe, expect, test} from 'vitest'
import {readKubeconfig} from '../../../../src/host/cluster/kubeconfig.js'
import {makeKubeconfig} from '../../../../src/simulator/cluster/kubeconfig.js'
import {examine} from '../../../doctor/doctor-rig.js'
import {pem} from '../../../host/cluster/loopback-cluster.js'
import {resetOn} from '../../../reset/reset-run.js'
import {setupOn} from '../../../setup/in-process.js'
import {statusOn} from '../../../status/status-on.js'
import {HostFolder} from '../../../steps/host-folder.js'

const SERVER = 'https://10.0.0.10:6443'
const CURRENT = String.raw`var\lib\kubelet\pki\kubelet-client-current.pem`
const EXPIRED = makeKubeconfig(SERVER, {cert: pem('client-expired.pem'), key: pem('leaf.key')})

/** A node whose kubelet has a kubeconfig of its own. */
async function nodeWithOwnKubeconfig(): Promise<HostFolder> {
  const host = await HostFolder.fresh()
  host.put(String.raw`in\kubelet`, makeKubeconfig(SERVER))
  const {result} = await setupOn(host.dir, {'kubelet-kubeconfig': String.raw`C:\in\kubelet`})
  expect(result.error).toBeUndefined()
  return host
}

/** It has ended since. */
async function nodeWithEndedKubeconfig(): Promise<HostFolder> {
  const host = await nodeWithOwnKubeconfig()
  const kubeconfig = await readKubeconfig('', Buffer.from(EXPIRED), () => Promise.resolve(undefined))
  host.put(String.raw`in\kubelet`, EXPIRED)
  host.put(String.raw`k\kubelet.kubeconfig`, kubeconfig.write())
  return host
}

describe("review W2: a kubeconfig of the kubelet's alone that has ended", () => {
  test('is a warning while the kubelet has its own certificate: status, doctor and setup ask with that one', async () => {
    const host = await nodeWithEndedKubeconfig()
    const {document} = await statusOn(host.dir)
    expect(document).toMatchObject({exitCode: 0, node: {ready: true}, problems: [], verdict: 'healthy'})
    const doctor = await examine(host)
    expect(doctor.check('node-identities')).toMatchObject({result: 'warn'})
    expect(doctor.check('node-identities').message).toContain(String.raw`C:\k\kubelet.kubeconfig`)
    expect(doctor.check('credentials').result).toBe('warn')
    expect(doctor.check('api-server').result).toBe('pass')
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('keeps no reset from asking the cluster', async () => {
    const host = await nodeWithEndedKubeconfig()
    const [ended, valid] = await Promise.all([
      resetOn(host.dir, {given: {purge: true}}),
      resetOn((await nodeWithOwnKubeconfig()).dir, {given: {purge: true}}),
    ])
    expect(ended.result.error).toBeUndefined()
    expect(ended.warnings).toEqual(valid.warnings)
  })

  test('is a problem where the kubelet has no other', async () => {
    const host = await nodeWithEndedKubeconfig()
    host.remove(CURRENT)
    const {document} = await statusOn(host.dir)
    expect(document.problems[0]).toMatchObject({id: 'CREDENTIALS_LAPSED', subject: String.raw`C:\k\kubelet.kubeconfig`})
    expect((await setupOn(host.dir)).result.error?.id).toBe('CREDENTIALS_LAPSED')
  })
})

test('review W2: a kubeconfig that all daemons share and that has ended is a problem of those without their own', async () => {
  const host = await HostFolder.fresh()
  await setupOn(host.dir)
  host.put(String.raw`k\kubeconfig`, EXPIRED)
  const {problems} = (await statusOn(host.dir)).document
  expect(problems[0]).toMatchObject({id: 'CREDENTIALS_LAPSED'})
  const {error} = (await setupOn(host.dir)).result
  expect(error).toMatchObject({id: 'CREDENTIALS_LAPSED'})
  expect(error?.message).toContain('kube-proxy, flanneld')
  expect(error?.message).not.toContain('kubelet')
})
