// review W2: certificates in the kubelet's store (client-go/util/certificate): its own copy of the kubeconfig's, and those
// of another cluster or for another account, which win over the new kubeconfig until they are moved aside.
import {X509Certificate} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import {ADMIN_CERTIFICATE, type ClientCertificate, NODE_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {pem} from '../host/cluster/loopback-cluster.js'
import {resetOn} from '../reset/reset-run.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'
import {sample} from '../sample.js'

const KEYS = String.raw`var\lib\kubelet\pki`
const CURRENT = `${KEYS}\\kubelet-client-current.pem`
const UPDATED = `${KEYS}\\kubelet-client-updated.pem`
const OLD = `${KEYS}\\kubelet-client-2020-01-02-03-04-05.pem`
const SERVER = 'https://10.0.0.10:6443'
const whole = ({cert, key}: ClientCertificate): string => `${cert}${key}`
const OWN = whole(NODE_CERTIFICATE)
const ELSEWHERE = {cert: pem('node-elsewhere.pem'), key: pem('node-elsewhere.key')}
const aside = (path: string): string => `${path}.before-k8s-win`
const userOf = (host: HostFolder): string => new X509Certificate(host.read(CURRENT)).subject
const made = (host: HostFolder): string[] =>
  host.list(KEYS).filter((name) => /^kubelet-client-2\d{3}(?:-\d\d){5}\.pem$/.test(name))
const linkTo = (host: HostFolder, path: string, target: string): void => host.link(path, target)

describe("review W2: the kubelet's copy of its kubeconfig's certificate", () => {
  test('is stored at its first start, behind a link', async () => {
    const host = await HostFolder.fresh()
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0})
    expect([host.linkTarget(CURRENT)]).toEqual(made(host))
    expect(host.read(CURRENT)).toBe(OWN)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('is not stale, whoever it is for, where the cluster signs no other', async () => {
    const host = await HostFolder.fresh()
    host.put(String.raw`k\kubeconfig`, makeKubeconfig(SERVER, ADMIN_CERTIFICATE))
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.read(CURRENT)).toBe(whole(ADMIN_CERTIFICATE))
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect((await statusOn(host.dir)).document).toMatchObject({problems: [], verdict: 'healthy'})
  })

  test('makes way for another kubeconfig, and does not come back', async () => {
    const host = await HostFolder.fresh()
    host.put(OLD, 'theirs')
    host.put(String.raw`k\kubeconfig`, makeKubeconfig(SERVER, ADMIN_CERTIFICATE))
    await setupOn(host.dir)
    host.put(String.raw`k\kubeconfig`, makeKubeconfig(SERVER))
    expect((await statusOn(host.dir)).document.problems.map(({id}) => id)).toEqual(['KUBELET_CERTIFICATE_STALE'])
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(userOf(host)).toContain('CN=system:node:win-1')
    expect((await resetOn(host.dir, {given: {purge: true}})).result.error).toBeUndefined()
    expect(host.list(KEYS)).toEqual(['kubelet-client-2020-01-02-03-04-05.pem'])
  })
})

describe('review W2: a kubelet certificate that was there before', () => {
  test.each(
    sample(
      [
        ['of another cluster, for this node', whole(ELSEWHERE)],
        ['of this cluster, for somebody else', whole(ADMIN_CERTIFICATE)],
        ['that has expired', whole({cert: pem('client-expired.pem'), key: pem('leaf.key')})],
        ['that is none', 'nonsense'],
      ],
      2,
    ),
  )('%s is moved aside, and reset puts it back', async (_, content) => {
    const host = await HostFolder.fresh()
    host.put(CURRENT, content)
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect({aside: host.read(aside(CURRENT)), now: host.read(CURRENT)}).toEqual({aside: content, now: OWN})
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    const reset = await resetOn(host.dir, {given: {purge: true}})
    expect(reset.result.error).toBeUndefined()
    expect({isAside: host.has(aside(CURRENT)), made: made(host), now: host.read(CURRENT)}).toEqual({
      isAside: false,
      made: [],
      now: content,
    })
  })

  test('that the API server accepts stays', async () => {
    const host = await HostFolder.fresh()
    host.put(CURRENT, OWN)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect({isAside: host.has(aside(CURRENT)), now: host.read(CURRENT)}).toEqual({isAside: false, now: OWN})
  })

  test('is moved aside with those that the kubelet would find after it', async () => {
    const host = await HostFolder.fresh()
    host.put(OLD, whole(ADMIN_CERTIFICATE))
    host.put(CURRENT, whole(ELSEWHERE))
    linkTo(host, UPDATED, OLD)
    const pair = [`${KEYS}\\kubelet-client.crt`, `${KEYS}\\kubelet-client.key`] as const
    host.put(pair[0], ELSEWHERE.cert)
    host.put(pair[1], ELSEWHERE.key)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.read(CURRENT)).toBe(OWN)
    for (const path of [CURRENT, UPDATED, ...pair]) expect(host.has(aside(path)), path).toBe(true)
    expect((await resetOn(host.dir, {given: {purge: true}})).result.error).toBeUndefined()
    expect({current: host.read(CURRENT), key: host.read(pair[1]), updated: host.read(UPDATED)}).toEqual({
      current: whole(ELSEWHERE),
      key: ELSEWHERE.key,
      updated: whole(ADMIN_CERTIFICATE),
    })
  })

  test.each(
    sample(
      [
        ['kubelet-client-updated.pem, a link', (host: HostFolder) => linkTo(host, UPDATED, OLD)],
        ['kubelet-client-updated.pem, a file', (host: HostFolder) => host.put(UPDATED, whole(ADMIN_CERTIFICATE))],
        [
          'kubelet-client.crt and .key',
          (host: HostFolder) => {
            host.put(`${KEYS}\\kubelet-client.crt`, ADMIN_CERTIFICATE.cert)
            host.put(`${KEYS}\\kubelet-client.key`, ADMIN_CERTIFICATE.key)
          },
        ],
      ],
      2,
    ),
  )('is found where only %s is there', async (_, make) => {
    const host = await HostFolder.fresh()
    host.put(OLD, whole(ADMIN_CERTIFICATE))
    make(host)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
    expect(host.read(CURRENT)).toBe(OWN)
  })
})

describe('review W2: in a folder of keys that was there before, reset', () => {
  test("removes the kubeconfig's key that the kubelet has stored, and nothing else", async () => {
    const host = await HostFolder.fresh()
    host.put(OLD, 'theirs')
    host.put(`${KEYS}\\kubelet.key`, 'theirs')
    await setupOn(host.dir)
    expect(made(host)).toHaveLength(2)
    // The kubelet has made its serving pair, and rotated since.
    host.put(`${KEYS}\\kubelet.crt`, 'made since')
    host.put(`${KEYS}\\kubelet-client-2999-01-02-03-04-05.pem`, OWN)
    const planned = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
    expect(JSON.stringify(planned.result)).toContain('kubelet-client-2999-01-02-03-04-05.pem')
    expect((await resetOn(host.dir, {given: {purge: true}})).result.error).toBeUndefined()
    expect(host.list(KEYS).sort()).toEqual(['kubelet-client-2020-01-02-03-04-05.pem', 'kubelet.key'])
  })
})
