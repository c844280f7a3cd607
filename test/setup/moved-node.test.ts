// A second base directory on a host that has its node: refused, because it would move the node.
import {expect, test} from 'vitest'
import {homeOfService} from '../../src/components/node-home.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const SECOND = {'base-dir': String.raw`C:\k 2`, kubeconfig: String.raw`C:\k\kubeconfig`}

async function setUpHost(): Promise<HostFolder> {
  const host = await HostFolder.fresh()
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  return host
}

test.each([false, true])('is refused before anything is changed, with both ways out (--adopt: %s)', async (adopt) => {
  const host = await setUpHost()
  const before = host.state
  const {result} = await setupOn(host.dir, {...SECOND, adopt})
  expect(result).toMatchObject({error: {id: 'NODE_ELSEWHERE'}, exitCode: 3})
  expect(result.error?.message).toContain(String.raw`C:\k`)
  expect(result.error?.fix).toContain(String.raw`k8s-win reset --base-dir "C:\k"`)
  expect(host.state).toEqual(before)
})

test('is possible after a reset of the first', async () => {
  const host = await setUpHost()
  expect((await resetOn(host.dir)).result.exitCode).toBe(0)
  expect((await setupOn(host.dir, SECOND)).result).toMatchObject({exitCode: 0, node: {ready: true}})
})

test.each([
  [String.raw`"C:\a b\kubernetes\node\bin\kubelet.exe" --v=2`, String.raw`C:\a b`],
  [String.raw`C:\k\kubernetes\node\bin\kube-proxy.exe --v=2`, String.raw`C:\k`],
  [String.raw`"C:\k\shawl.exe" run --name flanneld`, String.raw`C:\k`],
  [String.raw`"C:\k\nssm.exe" run`, undefined],
  ['', undefined],
])('%s is of %s', (imagePath, home) => expect(homeOfService(imagePath)).toBe(home))
