// A second base directory on a host that has its node: refused, for a node would move that nobody asked to move.
import {expect, test} from 'vitest'
import {homeOfService, homeOnPath} from '../../src/components/node-home.js'
import {variable} from '../steps/drifts/windows.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const SECOND = {'base-dir': String.raw`C:\k 2`, kubeconfig: String.raw`C:\k\kubeconfig`}

async function setUpHost(): Promise<HostFolder> {
  const host = await HostFolder.fresh()
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  return host
}

test('is refused before anything is changed, with both ways out', async () => {
  const host = await setUpHost()
  const before = host.state
  const {result} = await setupOn(host.dir, SECOND)
  expect(result).toMatchObject({error: {id: 'NODE_ELSEWHERE'}, exitCode: 3})
  expect(result.error?.message).toContain(String.raw`C:\k`)
  expect(result.error?.fix).toContain('--adopt')
  expect(result.error?.fix).toContain(String.raw`--base-dir "C:\k"`)
  expect(host.state).toEqual(before)
})

test('moves with --adopt: the old folder leaves PATH, its files stay, and the way back is the same', async () => {
  const host = await setUpHost()
  const path = variable(host.world, 'Path')
  const moved = await setupOn(host.dir, {...SECOND, adopt: true})
  expect(moved.result).toMatchObject({exitCode: 0, node: {ready: true}})
  const told = moved.result.checks.find(({id}) => id === 'services')
  expect(told).toMatchObject({result: 'warn'})
  expect(told?.message).toContain(String.raw`moves from C:\k to C:\k 2; the files in C:\k stay`)
  expect(variable(host.world, 'Path')).toBe(path?.replace(String.raw`C:\k\kube`, String.raw`C:\k 2\kube`))
  expect(variable(host.world, 'KUBECONFIG')).toBe(String.raw`C:\k 2\kubeconfig`)
  expect(host.has(String.raw`k\kubernetes\node\bin\kubelet.exe`)).toBe(true)
  for (const given of [{...SECOND, adopt: true}, SECOND]) {
    expect((await setupOn(host.dir, given)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  }

  expect((await setupOn(host.dir)).result.error).toMatchObject({id: 'NODE_ELSEWHERE'})
  expect((await setupOn(host.dir, {adopt: true})).result).toMatchObject({exitCode: 0, node: {ready: true}})
  expect(variable(host.world, 'Path')).toBe(path)
  expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
})

test.each([
  [String.raw`"C:\a b\kubernetes\node\bin\kubelet.exe" --v=2`, String.raw`C:\a b`],
  [String.raw`C:\k\kubernetes\node\bin\kube-proxy.exe --v=2`, String.raw`C:\k`],
  [String.raw`"C:\k\shawl.exe" run --name flanneld`, String.raw`C:\k`],
  [String.raw`"C:\k\nssm.exe" run`, undefined],
  ['', undefined],
])('%s is of %s', (imagePath, home) => expect(homeOfService(imagePath)).toBe(home))

test.each([
  [String.raw`C:\k\kubernetes\node\bin`, String.raw`C:\k`],
  ['c:\\K\\Kubernetes\\node\\bin\\', String.raw`c:\K`],
  [String.raw`%SystemRoot%\kubernetes\node\bin`, undefined],
  [String.raw`C:\Windows`, undefined],
])('%s on PATH is of %s', (folder, home) => expect(homeOnPath(folder)).toBe(home))
