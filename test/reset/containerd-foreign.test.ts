// What is in k8s-win's containerd, or in its folders, and was not created by k8s-win: it stays, and is named.
import {describe, expect, onTestFinished, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {HostFolder} from '../steps/host-folder.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'
import {sample} from '../sample.js'

const {before, copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const PURGE = {given: {purge: true}} as const
const DATA = String.raw`C:\ProgramData\containerd`
const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const IMAGE = {digests: [], id: `sha256:${'e'.repeat(64)}`, osVersion: '10.0.20348.1', size: 1}

type Containerd = World['containerd']
const SEEDS: readonly (readonly [string, string, (containerd: Containerd) => void])[] = [
  [
    'a container in the namespace default',
    'the container web in the namespace default',
    (containerd) => void (containerd.containers ??= []).push({id: 'web', image: 'x', namespace: 'default'}),
  ],
  [
    'an image in the namespace moby',
    'the image docker.io/library/x:1 in the namespace moby',
    ({images}) => void images.push({...IMAGE, namespace: 'moby', tags: ['docker.io/library/x:1']}),
  ],
  [
    'a container of ctr beside the pods',
    'the container debug in the namespace k8s.io',
    (containerd) => void (containerd.containers ??= []).push({id: 'debug', image: 'x', namespace: 'k8s.io'}),
  ],
  [
    'a pod of crictl',
    'the pod mine/byhand',
    ({sandboxes}) =>
      void sandboxes.push({
        attempt: 0,
        containers: [],
        createdAt: 0,
        id: 'f'.repeat(64),
        labels: {},
        name: 'byhand',
        namespace: 'mine',
        state: 'SANDBOX_NOTREADY',
        uid: 'mine',
      }),
  ],
]

const keptData = ({warnings}: ResetEnd): string[] => warnings.filter((text) => text.includes(DATA))
const contentOf = ({containers = [], images, sandboxes}: Containerd): unknown[] =>
  [containers, images, sandboxes].flat()

describe('in containerd', () => {
  test.each(sample(SEEDS, 3))(
    '%s stays with the data that it is in, as the plan says; the rest goes',
    async (_, named, seed) => {
      const host = copy()
      host.edit(({containerd}) => seed(containerd))
      const plan = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
      const deed = await resetOn(host.dir, PURGE)
      expect(deed.result.exitCode).toBe(0)
      expect(deed.warnings).toEqual([expect.stringContaining(named)])
      expect(keptData(deed)).toHaveLength(1)
      expect(plan.warnings).toEqual(deed.warnings)
      expect(host.has(String.raw`ProgramData\containerd\root`)).toBe(true)
      expect(contentOf(host.world.containerd)).toHaveLength(1)
      const left = differences(before(), wholeHost(host))
      expect(
        left.filter((line) => !/containerd (?:>|\/)|ProgramData\/containerd|programdata\\containerd/.test(line)),
      ).toEqual([])
      expect((await resetOn(host.dir, PURGE)).result).toMatchObject({exitCode: 0, steps: []})
    },
  )
})

test('files in the folders of containerd stay, and are named', async () => {
  const host = copy()
  const folders = [
    String.raw`k\containerd`,
    String.raw`k\containerd\bin`,
    String.raw`k\containerd\certs.d\docker.io`,
    String.raw`k\cni\config`,
  ]
  for (const folder of folders) host.put(`${folder}\\theirs.txt`, 'theirs')
  const plan = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
  const deed = await resetOn(host.dir, PURGE)
  expect(deed.result.exitCode).toBe(0)
  expect(folders.filter((folder) => !host.has(`${folder}\\theirs.txt`))).toEqual([])
  expect(deed.warnings.join('\n')).toMatch(/C:\\k\\containerd\\bin is kept .*: theirs\.txt/)
  expect(deed.warnings.join('\n')).toMatch(/C:\\k\\cni\\config is kept .*: theirs\.txt/)
  expect([...plan.warnings].sort()).toEqual([...deed.warnings].sort())
})

test('data that was there before setup stays, without the images that setup pulled', async () => {
  const host = await HostFolder.fresh(allowEverything, CONTAINERD_PROFILE)
  onTestFinished(() => host.discard())
  host.put(String.raw`ProgramData\containerd\root\theirs.db`, 'theirs')
  expect((await setupOn(host.dir)).result.error).toBeUndefined()
  expect((await resetOn(host.dir, PURGE)).result.exitCode).toBe(0)
  expect(host.read(String.raw`ProgramData\containerd\root\theirs.db`)).toBe('theirs')
  expect(host.world.containerd.images).toEqual([])
})

test('a service containerd that k8s-win no longer manages stays, with what it needs', async () => {
  const host = copy()
  host.edit(({services}) => {
    if (services.containerd) Object.assign(services.containerd.config, {description: 'mine'})
  })
  const {result, warnings} = await resetOn(host.dir, PURGE)
  expect(result).toMatchObject({error: {id: 'RESET_INCOMPLETE'}, exitCode: 7})
  expect(warnings.join()).toContain('stays: the service containerd, because it was not created by k8s-win')
  expect(host.world.services.containerd?.state).toBe('running')
  for (const path of [String.raw`k\containerd\bin\containerd.exe`, String.raw`k\containerd\config.toml`])
    expect(host.has(path), path).toBe(true)
  expect(host.world.services.kubelet).toBeUndefined()
})

test('a kubelet that k8s-win no longer manages keeps its pods and the containerd that they are in', async () => {
  const host = copy()
  host.edit(({services}) => {
    const config = {dependencies: [], description: 'mine', imagePath: String.raw`C:\other\it.exe`}
    if (services.kubelet) Object.assign(services.kubelet.config, config)
    delete services.kubelet?.process
  })
  const states = ({result: {steps}}: ResetEnd): string[] =>
    steps.map(({id, state}) => `${id}: ${state.replace('would-change', 'changed')}`)
  const plan = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
  const deed = await resetOn(host.dir, PURGE)
  expect(deed.result).toMatchObject({error: {id: 'RESET_INCOMPLETE'}, exitCode: 7})
  expect(states(plan)).toEqual(states(deed))
  expect(host.world.containerd).toMatchObject({running: true})
  expect(host.world.containerd.sandboxes).toHaveLength(2)
  expect(host.has(String.raw`k\cni\config\10-flannel.conflist`)).toBe(true)
  expect(Object.keys(host.world.services)).not.toContain('kubeproxy')
})

describe('a journal that was lost', () => {
  test('costs nothing that may have been there before: it is named; programs, services and pods go', async () => {
    const host = copy()
    host.remove(JOURNAL)
    const {result, told} = await resetOn(host.dir, {given: {purge: true, yes: true}})
    expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
    for (const named of [DATA, 'nanoserver:ltsc2022', 'registry.k8s.io/pause', String.raw`C:\var\lib\cni\results`])
      expect(told).toContain(named)
    expect(told).not.toContain('Docker')
    expect(host.world.containerd.sandboxes).toEqual([])
    expect(Object.keys(host.world.services)).not.toContain('containerd')
    for (const path of [String.raw`k\containerd`, String.raw`k\cni`, String.raw`k\shawl.exe`])
      expect(host.has(path), path).toBe(false)
  })

  test('a stored configuration that cannot be used does not keep the node', async () => {
    const host = copy()
    host.put(String.raw`k\k8s-win\node.yaml`, 'apiVersion: [')
    host.remove(String.raw`k\k8s-win\node-copy.yaml`)
    const {result, warnings} = await resetOn(host.dir, PURGE)
    expect(result.exitCode).toBe(0)
    expect(warnings).toEqual([expect.stringContaining('cannot be used')])
    expect(differences(before(), wholeHost(host))).toEqual([])
  })
})
