// Windows restarts in the middle of a command: what starts with it must not create again what a reset has removed, and must
// not disturb the command that follows.
import {describe, expect, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {CrashError, faultyMachine} from '../fakes/faulty.js'
import {resetOn} from '../reset/reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from '../reset/set-up-host.js'
import {differences, wholeHost} from '../reset/whole-host.js'
import {setupOn} from '../setup/in-process.js'
import {nodeGone} from '../steps/drifts/network.js'
import type {HostFolder} from '../steps/host-folder.js'
import {type Boot, reboot} from './reboot.js'

/** What a restart changes of the services of Windows and of Docker. */
const STARTED = /^world > services > (?:docker|hns) > (?!config|name|state)/
const BOOT_MS = 3 * 60_000

async function restart(host: HostFolder, profile: string, boot?: Boot): Promise<void> {
  host.edit((world) => reboot(world, boot))
  await (await openSimulator({dir: host.dir, profile})).clock.sleep(BOOT_MS)
}

describe.each(['ws2019', CONTAINERD_PROFILE])('of a reset, on %s', (profile) => {
  const {before, copy} = setUpHost({}, undefined, profile)
  const daemons =
    profile === 'ws2019' ? ['kubelet', 'flanneld', 'kubeproxy'] : ['kubelet', 'flanneld', 'kubeproxy', 'containerd']

  test('no daemon starts, and the next reset removes the rest', async () => {
    const host = copy()
    const isNetwork = ({args, what}: {args: readonly unknown[]; what: string}): boolean =>
      what === 'hnsCall' && args[0] === 'DELETE' && String(args[1]).startsWith('/networks/')
    const killed = resetOn(host.dir, {
      given: {purge: true},
      profile,
      wrap: (machine) => faultyMachine(machine, [{at: isNetwork, does: 'crash', when: 'after'}]),
    })
    await expect(killed).rejects.toThrow(CrashError)
    await restart(host, profile)
    const {cluster, hns, services} = host.world
    expect(daemons.map((name) => [name, services[name]?.state])).toEqual(daemons.map((name) => [name, 'stopped']))
    expect(cluster.nodes.map(({name}) => name)).not.toContain('win-1')
    expect(hns.networks.map((network) => network['Name'])).not.toContain('vxlan0')
    expect((await resetOn(host.dir, {given: {purge: true}, profile})).result).toMatchObject({exitCode: 0})
    const left = differences(before(), wholeHost(host))
    expect(left.filter((line) => !STARTED.test(line))).toEqual([])
  })
})

describe('of a node whose object is gone', () => {
  const {copy} = setUpHost({'base-images': 'nanoserver'}, undefined, CONTAINERD_PROFILE)

  test('a flanneld that waits for its node creates its network when nothing is being pulled any more', async () => {
    const host = copy()
    nodeGone.make(host)
    await restart(host, CONTAINERD_PROFILE, {failing: ['kubelet']})
    host.edit(({containerd}) => {
      containerd.images = containerd.images.filter(({tags}) => !tags.some((tag) => tag.includes('nanoserver')))
    })
    const {result} = await setupOn(host.dir, {'base-images': 'nanoserver'})
    expect(result.error).toBeUndefined()
    expect(result.steps.find(({id}) => id === 'kubelet-service')?.changes).toContain(
      'stop the service flanneld until the node is registered',
    )
  })
})
