// What neither the kubelet nor k8s-win created in containerd is destroyed by no reset.
import {expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {HostFolder} from '../steps/host-folder.js'
import {brokenContainerd, offline} from './broken-containerd.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'

const made = setUpHost({}, undefined, CONTAINERD_PROFILE)
const DATABASE = String.raw`ProgramData\containerd\root\io.containerd.metadata.v1.bolt\meta.db`
const LAYER = String.raw`ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots\1`

const WITH: readonly [string, (host: HostFolder) => void, string][] = [
  [
    'an image of another namespace',
    (host) =>
      host.edit(({containerd}) => {
        const [image] = containerd.images
        if (image) containerd.images.push({...image, namespace: 'moby', tags: ['theirs:1']})
      }),
    'the image theirs:1 in the namespace moby',
  ],
  [
    "a container in the kubelet's namespace",
    (host) => host.edit(({containerd}) => (containerd.containers = [{id: 'debug', image: '', namespace: 'k8s.io'}])),
    'the container debug in the namespace k8s.io',
  ],
  [
    'a pod of crictl',
    (host) =>
      host.edit(({containerd: {sandboxes}}) =>
        sandboxes.push(...sandboxes.slice(0, 1).map((pod) => ({...pod, id: 'ab'.repeat(32), labels: {}}))),
      ),
    `the container ${'ab'.repeat(32)} in the namespace k8s.io`,
  ],
  ['a database that was deleted', (host) => host.remove(DATABASE), 'unknown'],
  ['a database that is damaged', (host) => host.put(DATABASE, 'x'.repeat(20_000)), 'unknown'],
]

test.each(WITH)('review W3-3: the last resort ends and destroys nothing with %s', async (_, prepare, named) => {
  const host = brokenContainerd(made)
  prepare(host)
  const seen: string[] = []
  const {result, told} = await resetOn(host.dir, {given: {purge: true}, wrap: offline(seen)})
  expect(result.exitCode).toBe(7)
  expect(result.errors?.map(({id}) => id)).toContain('CONTAINERD_SHARED')
  expect(told).toContain(named)
  expect(seen).toEqual([])
  expect(host.has(LAYER)).toBe(true)
})

test.each(WITH)('review W3-3: nor does a reset after its service was deleted: %s', async (_, prepare, named) => {
  const host = brokenContainerd(made)
  prepare(host)
  host.edit(({containerd, services}) => {
    delete services['containerd']
    containerd.running = false
    for (const sandbox of containerd.sandboxes) sandbox.state = 'SANDBOX_NOTREADY'
  })
  const {result, told} = await resetOn(host.dir, {given: {purge: true}, wrap: offline()})
  expect(result.exitCode).toBe(named === 'unknown' ? 7 : 0)
  expect(told).toContain(named)
  expect(host.has(LAYER)).toBe(true)
})

test('review W3-3: what fails after the last resort, and is not containerd, is reported', async () => {
  const seen: string[] = []
  const wrap = (machine: Machine): Machine =>
    interceptMachine(offline(seen)(machine), async ({what}, perform) => {
      if (what === 'pipeServer' && seen.length > 0) throw new Win32Error('GetNamedPipeServerProcessId', 5, 'it')
      return perform()
    })
  const {result} = await resetOn(brokenContainerd(made).dir, {given: {purge: true}, wrap})
  expect(seen).not.toEqual([])
  expect(result.exitCode).not.toBe(0)
})
