// reset --dry-run shows what reset does: the same steps with the same changes.
import {describe, expect, onTestFinished, test} from 'vitest'
import type {GivenReset} from '../../src/config/options/reset-options.js'
import {faultyMachine} from '../fakes/faulty.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {turn} from '../sample.js'

const {copy} = setUpHost()
const containerd = setUpHost({}, undefined, CONTAINERD_PROFILE)
const OPTIONS: readonly GivenReset[] = [{}, {purge: true}, {drain: true, 'keep-node': true}]

/** The reset that is planned has no log or lock of its own to remove, and evicts no pods. */
const DIFFERENT = new Set(['drain', 'records'])

const shown = ({steps}: RunResultDocument): string[] =>
  steps.flatMap(({changes, id, state}) => [
    `${id}: ${state.replace('would-change', 'changed')}`,
    ...(DIFFERENT.has(id) ? [] : changes),
  ])

async function planAndDeed(host: HostFolder, given: GivenReset): Promise<{deed: string[]; plan: string[]}> {
  const plan = await resetOn(host.dir, {given: {...given, 'dry-run': true}})
  const deed = await resetOn(host.dir, {given})
  expect(deed.result.exitCode).toBe(0)
  expect(plan.result.recap).toEqual(deed.result.recap)
  return {deed: shown(deed.result), plan: shown(plan.result)}
}

describe.each(OPTIONS)('with %j', (given) => {
  test('on a healthy host', async () => {
    const {deed, plan} = await planAndDeed(copy(), given)
    expect(plan).toEqual(deed)
    expect(plan).toEqual(expect.arrayContaining(['daemons: changed', 'base-dir: changed', 'records: changed']))
  })

  test('on a healthy host with containerd', async () => {
    const {deed, plan} = await planAndDeed(containerd.copy(), given)
    expect(plan).toEqual(deed)
    expect(plan).toEqual(expect.arrayContaining(['containers: changed', 'runtime: changed', 'records: changed']))
  })

  test('on a drifted host with containerd', async () => {
    const host = containerd.copy()
    host.edit(({cluster, containerd: {images}, services}) => {
      cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')
      images.splice(0, 1)
      delete services['kubeproxy']
    })
    for (const path of [String.raw`k\flanneld.exe`, String.raw`k\logs\containerd`]) host.remove(path)
    host.put(String.raw`k\containerd\theirs.txt`, 'theirs')
    const {deed, plan} = await planAndDeed(host, given)
    expect(plan).toEqual(deed)
  })

  test('on a drifted host', async () => {
    const host = copy()
    host.edit(({cluster, environment, hns, services}) => {
      cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')
      environment['KUBECONFIG'] = String.raw`C:\theirs`
      hns.networks = hns.networks.filter((network) => network['Name'] !== 'vxlan0')
      delete services['kubeproxy']
    })
    for (const path of [String.raw`k\cni\config\cni.conf`, String.raw`etc\kube-flannel`, String.raw`k\flanneld.exe`])
      host.remove(path)
    host.put(String.raw`k\cni\theirs.txt`, 'theirs')
    const {deed, plan} = await planAndDeed(host, given)
    expect(plan).toEqual(deed)
    expect(plan).toContain('overlay-network: in-place')
  })
})

test.each(turn(['createService', 'startService', 'setRegistryValue'], 1))(
  'on a host whose setup failed at %s',
  async (call) => {
    const host = HostFolder.empty()
    onTestFinished(() => host.discard())
    const wrap = (machine: Machine): Machine =>
      faultyMachine(machine, [
        {at: ({kind, what}) => what === call && kind === 'change', does: new Win32Error(call, 5, 'it'), when: 'before'},
      ])
    expect((await setupOn(host.dir, {}, {wrap})).result.exitCode).not.toBe(0)
    const {deed, plan} = await planAndDeed(host, {})
    expect(plan).toEqual(deed)
    expect(plan).toContain('kubeproxy-service: in-place')
  },
)

test('a file that was there before is restored, in the plan too', async () => {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  host.put(String.raw`k\flanneld.exe`, 'theirs')
  await setupOn(host.dir)
  const {result} = await resetOn(host.dir, {given: {'dry-run': true}})
  const {changes = []} = result.steps.find(({id}) => id === 'flannel-binary') ?? {}
  const told = changes.filter((change) => change.includes('flanneld.exe'))
  expect(told.at(-1)).toBe(String.raw`restore C:\k\flanneld.exe`)
  await resetOn(host.dir)
  expect(host.read(String.raw`k\flanneld.exe`)).toBe('theirs')
})
