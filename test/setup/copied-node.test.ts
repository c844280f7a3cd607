// A copy of a virtual machine with a node: nothing is changed under the identity of the original.
import {describe, expect, test} from 'vitest'
import {examine} from '../doctor/doctor-rig.js'
import {resetOn} from '../reset/reset-run.js'
import {recoverOn} from '../runs/recover-on.js'
import {sample, turn} from '../sample.js'
import {statusOn} from '../status/status-on.js'
import {halt} from '../steps/drifts/services.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const OTHER = '564d1234-5678-9abc-def0-123456789abc'
const ZEROS = '00000000-0000-0000-0000-000000000000'
const ONES = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

async function nodeOn(profile: string, uuid?: string): Promise<HostFolder> {
  const host = await HostFolder.fresh(({os}) => (os.systemUuid = uuid ?? String(os.systemUuid)), profile)
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  return host
}

async function copied(profile: string, uuid = OTHER): Promise<HostFolder> {
  const host = await nodeOn(profile)
  host.edit(({os}) => (os.systemUuid = uuid))
  return host
}

describe.each(turn(['ws2019', 'ws2025'], 1))('a copy of a node on %s', (profile) => {
  test('is refused by setup, which changes nothing, and shown by status and doctor', async () => {
    const host = await copied(profile)
    const {problems, verdict} = (await statusOn(host.dir, {profile})).document
    expect([verdict, problems.map(({id}) => id)]).toEqual(['degraded', ['NODE_IS_A_COPY']])
    expect((await examine(host, {profile})).check('node-copy')).toMatchObject({result: 'fail'})
    const before = host.state
    const {result} = await setupOn(host.dir)
    expect(result).toMatchObject({error: {command: 'k8s-win reset', id: 'NODE_IS_A_COPY'}, exitCode: 3})
    expect(host.state).toEqual(before)
  })

  test('is not repaired by recover', async () => {
    const host = await copied(profile)
    host.edit((world) => halt(world.services.kubelet!, world))
    const before = host.state
    const {result} = await recoverOn(host.dir, {yes: true})
    expect(result).toMatchObject({error: {id: 'NODE_IS_A_COPY'}, exitCode: 3})
    expect(host.state).toEqual(before)
  })

  test('is a restored backup where the check is ignored: its machine is stored', async () => {
    const host = await copied(profile)
    const {result} = await setupOn(host.dir, {'ignore-check': 'node-copy'})
    expect(result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect((await statusOn(host.dir, {profile})).document).toMatchObject({problems: [], verdict: 'healthy'})
    host.edit(({os}) => (os.systemUuid = ZEROS))
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  test('is reset, and the node of the original stays in the cluster', async () => {
    const host = await copied(profile)
    const {result, warnings} = await resetOn(host.dir, {given: {drain: true}})
    expect(result).toMatchObject({exitCode: 0})
    expect(warnings.join()).toContain('not its copy')
    const node = host.world.cluster.nodes.find(({name}) => name === 'win-1')
    expect(node).toBeDefined()
    expect(node?.unschedulable ?? false).toBe(false)
    expect(host.world.services.kubelet).toBeUndefined()
    // The kubeconfig that was given to the original is still there.
    const {result: again} = await setupOn(host.dir, {'node-name': 'win-1-copy'})
    expect(again).toMatchObject({error: {id: 'PERMISSIONS_MISSING'}, exitCode: 3})
  })
})

test.each(sample([ZEROS, ONES, ONES.toUpperCase(), 'none', ''], 2))(
  'firmware that gives %s proves no copy',
  async (uuid) => {
    const host = await copied('ws2019', uuid)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    const unnamed = await nodeOn('ws2019', uuid)
    unnamed.edit(({os}) => (os.systemUuid = OTHER))
    expect((await setupOn(unnamed.dir)).result).toMatchObject({exitCode: 0})
  },
)

test.each(
  turn(
    [
      ['in capital letters', (uuid: string) => uuid.toUpperCase()],
      ['in the order of older firmware', () => '44454c4c-3500-1030-8052-b9c04f574e31'],
    ],
    1,
  ),
)('the same UUID %s is the same machine', async (_, change) => {
  const host = await nodeOn('ws2019')
  host.edit(({os}) => (os.systemUuid = change(String(os.systemUuid))))
  expect((await statusOn(host.dir)).document).toMatchObject({problems: [], verdict: 'healthy'})
})

test('another computer name alone is no copy', async () => {
  const host = await nodeOn('ws2019')
  host.edit(({os}) => (os.computerName = 'WIN-2'))
  const {problems} = (await statusOn(host.dir)).document
  expect(problems.map(({id}) => id)).not.toContain('NODE_IS_A_COPY')
})
