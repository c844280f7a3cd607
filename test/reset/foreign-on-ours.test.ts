// A service with the name of a managed one that k8s-win does not manage any more, and that needs what setup created: it keeps running.
import {describe, expect, test} from 'vitest'
import type {HostFolder} from '../steps/host-folder.js'
import {setupOn} from '../setup/in-process.js'
import {resetOn} from './reset-run.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost()
const CONFIGURATION = [
  String.raw`k\kubelet-config.yaml`,
  String.raw`k\client-ca.crt`,
  String.raw`k\cni\config\cni.conf`,
]
const FLANNEL = [String.raw`k\flanneld.exe`, String.raw`k\shawl.exe`, String.raw`etc\kube-flannel\net-conf.json`]
const PROGRAMS = [String.raw`k\kubernetes\node\bin\kubelet.exe`, String.raw`k\kubernetes\node\bin\kube-proxy.exe`]

function giveAway(host: HostFolder, name: string, imagePath?: string): void {
  host.edit(({services}) => {
    const service = services[name]
    if (!service) return
    // As earlier versions, and other scripts, registered them.
    const dependencies = [{flanneld: 'kubelet', kubeproxy: 'flanneld'}[name] ?? 'docker']
    Object.assign(service.config, {dependencies, description: 'mine', ...(imagePath !== undefined && {imagePath})})
    if (imagePath !== undefined) delete service.process
  })
}

const runs = ({world}: HostFolder): string[] =>
  ['kubelet', 'flanneld', 'kubeproxy'].filter((name) => world.services[name]?.state === 'running')
const environmentOf = ({world: {environment}}: HostFolder): string[] => [
  String(environment['KUBECONFIG']),
  String(environment['Path']),
]
const filesLeft = (host: HostFolder): string[] =>
  [...PROGRAMS, ...CONFIGURATION, ...FLANNEL].filter((path) => host.has(path))

describe.each([{}, {purge: true}])('with %j', (given) => {
  test.each([
    ['kubelet', ['kubelet'], [...PROGRAMS, ...CONFIGURATION]],
    ['flanneld', ['kubelet', 'flanneld'], [...PROGRAMS, ...CONFIGURATION, ...FLANNEL]],
    ['kubeproxy', ['kubelet', 'flanneld', 'kubeproxy'], [...PROGRAMS, ...CONFIGURATION, ...FLANNEL]],
  ])('%s runs on, with all that it needs, as the plan says', async (name, running, files) => {
    const host = copy()
    giveAway(host, name)
    const plan = await resetOn(host.dir, {given: {...given, 'dry-run': true}})
    const deed = await resetOn(host.dir, {given})
    const left = `the service ${name}, which was not created by k8s-win, and what it uses of this node`
    expect(deed.result).toMatchObject({
      error: {cause: expect.stringContaining(left) as string, id: 'RESET_INCOMPLETE'},
      exitCode: 7,
    })
    expect(environmentOf(host)).toEqual(environmentOf(copy()))
    expect(runs(host)).toEqual(running)
    expect(filesLeft(host)).toEqual(files)
    expect(host.world.hns.networks.map((network) => network['Name'])).toContain('vxlan0')
    expect(host.world.cluster.nodes.map((node) => node.name)).toContain('win-1')
    const states = ({result}: typeof plan) =>
      result.steps.map(({id, state}) => `${id} ${state.replace('would-change', 'changed')}`)
    expect(states(plan)).toEqual(states(deed))
    for (const {warnings} of [plan, deed]) {
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain(`stays: the service ${name}`)
      for (const other of running) expect(warnings[0]).toContain(`the service ${other}`)
    }
    expect((await resetOn(host.dir, {given})).result).toMatchObject({exitCode: 7, recap: {changed: 0}})
  })
})

test('a program elsewhere that depends on a service of k8s-win keeps that service', async () => {
  const host = copy()
  giveAway(host, 'flanneld', String.raw`C:\other\it.exe`)
  expect((await resetOn(host.dir)).result.exitCode).toBe(7)
  expect(runs(host)).toEqual(['kubelet', 'flanneld'])
  expect(filesLeft(host)).toEqual([...PROGRAMS, ...CONFIGURATION, FLANNEL[2]])
})

test('nor does it lose anything where the journal is lost', async () => {
  const host = copy()
  giveAway(host, 'flanneld')
  host.remove(String.raw`k\k8s-win\journal.ndjson`)
  expect((await resetOn(host.dir, {given: {yes: true}})).result.exitCode).toBe(7)
  expect(runs(host)).toEqual(['kubelet', 'flanneld'])
  expect(filesLeft(host)).toEqual([...PROGRAMS, ...CONFIGURATION, ...FLANNEL])
})

test("once it is k8s-win's again, everything goes", async () => {
  const host = copy()
  giveAway(host, 'flanneld')
  await resetOn(host.dir, {given: {purge: true}})
  expect((await setupOn(host.dir, {adopt: true})).result.error).toBeUndefined()
  expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
  expect(differences(before(), wholeHost(host))).toEqual([])
})
