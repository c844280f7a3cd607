// reset of a node that joined with a token.
import {describe, expect, test} from 'vitest'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {BOOTSTRAP_FILE, joiningHost, joinOn, KEYS, KUBECONFIG, PROFILE} from './joining-host.js'

const ADMIN = String.raw`C:\admin.kubeconfig`
const given = {purge: true, yes: true}

async function joined(): Promise<{before: ReturnType<typeof wholeHost>; host: HostFolder}> {
  const host = await joiningHost()
  host.put('admin.kubeconfig', makeKubeconfig('https://10.0.0.10:6443', ADMIN_CERTIFICATE))
  const before = wholeHost(host)
  expect((await joinOn(host)).result.error).toBeUndefined()
  return {before, host}
}

const withoutRequests = (host: HostFolder): void =>
  host.edit(({cluster}) => void Reflect.deleteProperty(cluster, 'certificateSigningRequests'))
const nodeOf = ({world}: HostFolder) => world.cluster.nodes.find(({name}) => name === 'win-1')

describe('reset', () => {
  test('restores the host, and leaves the node object to an administrator', async () => {
    const {before, host} = await joined()
    const {result, warnings} = await resetOn(host.dir, {given, profile: PROFILE})
    expect(result).toMatchObject({exitCode: 0})
    expect(warnings.join('\n')).toContain('kubectl delete node win-1')
    expect(nodeOf(host)).toBeDefined()
    host.edit(({cluster}) => (cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')))
    withoutRequests(host)
    expect(differences(before, wholeHost(host))).toEqual([])
  })

  test("with an administrator's kubeconfig the node object is deleted, and that is not stored", async () => {
    const {before, host} = await joined()
    const {result, warnings} = await resetOn(host.dir, {given, kubeconfig: ADMIN, profile: PROFILE})
    expect(result).toMatchObject({exitCode: 0})
    expect(warnings.join('\n')).not.toContain('kubectl delete node')
    expect(nodeOf(host)).toBeUndefined()
    withoutRequests(host)
    expect(differences(before, wholeHost(host))).toEqual([])
  })

  test.each([
    ['ADMIN_KUBECONFIG_MISSING', String.raw`C:\none`],
    ['KUBECONFIG_UNREADABLE', String.raw`C:\k\kubelet-config.yaml`],
  ])('%s: one that cannot be used is reported before anything is removed', async (id, kubeconfig) => {
    const {host} = await joined()
    const {result} = await resetOn(host.dir, {given, kubeconfig, profile: PROFILE})
    expect(result).toMatchObject({error: {id}, exitCode: 3})
    expect(host.world.services['kubelet']).toMatchObject({state: 'running'})
  })

  test('a missing kubeconfig of an administrator is not mistaken for that of the node', async () => {
    const {host} = await joined()
    const {result} = await resetOn(host.dir, {given, kubeconfig: String.raw`C:\none`, profile: PROFILE})
    const {cause, command, fix, message} = result.error ?? {}
    expect({cause, command, fix, message}).toEqual({
      cause: 'The file that was passed to --kubeconfig of reset does not exist. Nothing was removed.',
      command: null,
      fix: 'Check the path: it must be the kubeconfig of an administrator of the cluster. Or run reset without --kubeconfig: it then prints the command with which an administrator deletes the node object.',
      message: String.raw`The administrator's kubeconfig C:\none is missing`,
    })
  })

  test('without --purge no key and no kubeconfig is left, and the node can join again', async () => {
    const {host} = await joined()
    expect((await resetOn(host.dir, {given: {yes: true}, profile: PROFILE})).result.exitCode).toBe(0)
    expect([KUBECONFIG, KEYS, BOOTSTRAP_FILE].filter((path) => host.has(path))).toEqual([])
    expect((await joinOn(host)).result).toMatchObject({exitCode: 0, node: {ready: true}})
  })

  test('with a lost journal the kubeconfig that the kubelet wrote is known by what it names', async () => {
    const {host} = await joined()
    host.remove(String.raw`k\k8s-win\journal.ndjson`)
    const {result} = await resetOn(host.dir, {given: {yes: true}, profile: PROFILE})
    expect(host.has(KUBECONFIG), JSON.stringify(result.error)).toBe(false)
  })
})
