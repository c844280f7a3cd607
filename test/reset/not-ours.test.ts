// What has the name or the place of something of k8s-win, and is another tool's: it stays, and that is reported.
import {describe, expect, test} from 'vitest'
import {bridgeInstead} from '../steps/drifts/network.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'

const {copy} = setUpHost()
const DRIVER = String.raw`usr\libexec\kubernetes\kubelet-plugins\volume\exec\acme~drv.cmd\drv.cmd`

function giveAway(host: HostFolder, name: string): void {
  host.edit(({services}) => {
    const service = services[name]
    const theirs = {dependencies: [], description: 'mine', imagePath: String.raw`C:\other\it.exe`}
    if (!service) return
    Object.assign(service.config, theirs)
    delete service.process
  })
}

describe('a service that k8s-win no longer manages', () => {
  const networks = ({world}: HostFolder): unknown[] => world.hns.networks.map((network) => network['Name'])

  test.each([
    ['kubelet', ['containers', 'node-registered', 'kubelet-service'], 'its containers and its node'],
    ['flanneld', ['overlay-network', 'external-network', 'flanneld-service', 'net-conf'], 'its networks'],
    ['kubeproxy', ['kubeproxy-service', 'source-vip'], 'its source address'],
  ])('%s stays, with what it uses', async (name, steps, uses) => {
    const host = copy()
    giveAway(host, name)
    const states: string[][] = []
    for (const given of [{'dry-run': true}, {}]) {
      const {result, warnings} = await resetOn(host.dir, {given})
      expect(result.error).toBeUndefined()
      expect(warnings.join('\n')).toContain(
        `stays: the service ${name}, because it was not created by k8s-win, and with it`,
      )
      expect(warnings.join('\n')).toContain(uses)
      states.push(result.steps.map(({id, state}) => `${id}: ${state.replace('would-change', 'changed')}`))
      const skipped = result.steps.filter(({state}) => state === 'skipped').map(({id}) => id)
      expect(skipped.sort()).toEqual([...steps].sort())
      expect(result.steps.flatMap(({changes}) => changes).join()).not.toContain(`the service ${name}`)
    }

    expect(states[0]).toEqual(states[1])
    expect(host.world.services[name]?.state).toBe('running')
    expect(host.has(String.raw`var\lib\kubelet`)).toBe(name === 'kubelet')
    expect(host.world.cluster.nodes.some((node) => node.name === 'win-1')).toBe(name === 'kubelet')
    expect(networks(host).includes('vxlan0')).toBe(name === 'flanneld')
  })
})

test('a network that k8s-win did not create, with its name, stays, with what is on it: in the plan, and in deed', async () => {
  const host = copy()
  host.edit(({hns}) => bridgeInstead(hns))
  const theirs = host.world.hns
  for (const given of [{'dry-run': true}, {purge: true}]) {
    const {result, warnings} = await resetOn(host.dir, {given})
    expect(result.exitCode).toBe(0)
    expect(warnings.filter((text) => text.includes('vxlan0'))).toEqual([
      'the HNS network vxlan0 is kept because k8s-win did not create it: it has type L2Bridge. If it is not needed: hnsdiag delete networks BBBB',
    ])
    expect(result.steps.flatMap(({changes}) => changes).join()).not.toContain('HNS network')
    expect(host.world.hns).toEqual(theirs)
  }
})

test('a firewall rule that k8s-win did not create, with its name, is in no plan', async () => {
  const host = copy()
  const [name = ''] = Object.keys(host.world.firewall)
  host.edit(({firewall}) => {
    const text = JSON.stringify(firewall[name]).replaceAll(/"description":"[^"]*"/g, '"description":"mine"')
    firewall[name] = JSON.parse(text) as (typeof firewall)[string]
  })
  const {result} = await resetOn(host.dir, {given: {'dry-run': true}})
  const told = result.steps.flatMap(({changes}) => changes).join()
  expect(told).toContain('the firewall rule "')
  expect(told).not.toContain(`the firewall rule "${name}"`)
  await resetOn(host.dir)
  expect(Object.keys(host.world.firewall)).toEqual([name])
})

describe('folders', () => {
  test("a FlexVolume driver stays, and is reported; the rest of the kubelet's folders goes", async () => {
    const host = copy()
    host.put(DRIVER, 'theirs')
    host.put(String.raw`usr\libexec\kubernetes\more\x`, '')
    const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
    expect(result.exitCode).toBe(0)
    expect(warnings.join()).toContain(String.raw`kubelet-plugins\volume\exec: acme~drv.cmd`)
    expect(host.read(DRIVER)).toBe('theirs')
    expect(host.has(String.raw`usr\libexec\kubernetes\more`)).toBe(false)
    expect(host.has(String.raw`var\lib\kubelet`)).toBe(false)
  })

  test.each([{}, {purge: true}])('of k8s-win that stay for what others put there are reported (%j)', async (given) => {
    const host = copy()
    const folders = [String.raw`k\cni`, String.raw`k\kubernetes\node\bin`, 'etc', String.raw`run\flannel`]
    for (const folder of folders) host.put(`${folder}\\theirs.txt`, 'theirs')
    const {warnings} = await resetOn(host.dir, {given})
    const told = warnings.filter((text) => text.includes('files not created by k8s-win'))
    expect(told.map((text) => /the folder (\S+) is kept.*: (.*)/.exec(text)?.slice(1)).sort()).toEqual(
      folders.map((folder) => [`C:\\${folder}`, 'theirs.txt']).sort(),
    )
    expect((await resetOn(copy().dir, {given})).warnings).toEqual([])
  })
})

test('a base directory that never was has nothing to remove, whatever another one left', async () => {
  const host = copy()
  await resetOn(host.dir)
  const {events, result} = await resetOn(host.dir, {baseDir: String.raw`c:\k2`, given: {purge: true}})
  expect(result).toMatchObject({exitCode: 0, steps: []})
  expect(JSON.stringify(events)).toContain('there is nothing to remove')
})
