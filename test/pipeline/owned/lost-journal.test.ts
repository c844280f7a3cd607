// What was there before the first setup stays, wherever the node has moved since and whatever journal was lost; what the
// node's first journal knew to be k8s-win's goes with the node.
import {describe, expect, test} from 'vitest'
import {resetOn} from '../../reset/reset-run.js'
import {setUpHost} from '../../reset/set-up-host.js'
import {setupOn} from '../../setup/in-process.js'
import type {HostFolder} from '../../steps/host-folder.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const THEIRS = [
  String.raw`var\lib\kubelet\mine.txt`,
  String.raw`var\log\pods\mine.txt`,
  String.raw`var\lib\cni\flannel\mine.txt`,
]
const OLD_VALUE = String.raw`D:\mine\kubeconfig`
const ENVIRONMENT = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

const {copy} = setUpHost({}, (host) => {
  for (const path of THEIRS) host.put(path, 'mine')
  host.edit(({environment, registry}) => {
    environment['KUBECONFIG'] = OLD_VALUE
    registry[ENVIRONMENT] = {...registry[ENVIRONMENT], KUBECONFIG: {data: OLD_VALUE, type: 'REG_SZ'}}
  })
})

const keptOf = (host: HostFolder): boolean[] => THEIRS.map((path) => host.has(path))

describe('a journal that was lost', () => {
  test('costs a setup the digests of its programs, and no restart of a daemon', async () => {
    const host = copy()
    const processes = (): unknown[] =>
      ['kubelet', 'flanneld', 'kubeproxy'].map((name) => host.world.services[name]?.processId)
    const running = processes()
    host.remove(JOURNAL)
    const {result} = await setupOn(host.dir)
    expect(result.error).toBeUndefined()
    const {changes = []} = result.steps.find(({id}) => id === 'kubernetes-binaries') ?? {}
    expect(changes).toContainEqual(expect.stringMatching(/^verify C:.*kubelet\.exe /))
    expect(processes()).toEqual(running)
    expect((await setupOn(host.dir)).result.recap.changed).toBe(0)
  })

  test.each([{adopt: true}, {}])('setup (%j) claims nothing of theirs', async (given) => {
    const host = copy()
    host.remove(JOURNAL)
    expect((await setupOn(host.dir, given)).result.error).toBeUndefined()
    const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
    expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
    expect(keptOf(host)).toEqual([true, true, true])
  })

  test('setup knows its own programs again: none is kept aside, and reset takes them all', async () => {
    const host = copy()
    host.remove(JOURNAL)
    const plan = await setupOn(host.dir, {}, {dryRun: true})
    expect(JSON.stringify(plan.result.steps)).not.toContain('before-k8s-win')
    const {events, result} = await setupOn(host.dir)
    for (const told of [plan.events, events])
      expect(JSON.stringify(told)).toMatch(/the journal of C:.{2,4}k was lost, .* stays at a later reset/)
    expect(JSON.stringify((await setupOn(host.dir)).events)).not.toContain('was lost')
    expect(JSON.stringify(result.steps)).not.toContain('before-k8s-win')
    const gone = await resetOn(host.dir, {given: {purge: true, yes: true}})
    expect(gone.result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
    expect(gone.warnings.join('\n')).not.toContain('not ours is in it')
    expect(gone.told).toContain(String.raw`C:\var\lib\kubelet`)
    for (const path of [
      String.raw`k\kubernetes`,
      String.raw`k\flanneld.exe`,
      String.raw`k\shawl.exe`,
      String.raw`k\cni`,
    ])
      expect(host.has(path), path).toBe(false)
  })
})
