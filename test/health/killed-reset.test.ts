// A reset that was killed half way: status and doctor report the unfinished reset, and nothing that contradicts it.
import {statusRows} from '../../src/output/status/status-rows.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {beforeAll, describe, expect, test} from 'vitest'
import {allowEverything} from '../fakes/administrator.js'
import {examine, type Examination} from '../doctor/doctor-rig.js'
import {type LeftBehind, type Recording, recordPoints} from '../interruption/kill-points.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn} from '../status/status-on.js'

const EVERY = 9
const FEWEST = 6
const NODE_YAML = String.raw`k\k8s-win\node.yaml`

let recording: Recording | undefined
beforeAll(async () => {
  const node = await healthyNode()
  node.edit(allowEverything)
  const holder = {command: 'k8s-win reset --purge', processId: 4711, user: 'administrator'}
  recording = await recordPoints(
    node,
    (nth) => nth % EVERY === 0,
    async (dir, wrap) => {
      const {result} = await resetOn(dir, {given: {purge: true}, holder, wrap})
      expect(result.error).toBeUndefined()
    },
  )
}, 120_000)

/** Those that a reset which has begun has left: its line is in the journal, and what setup stored is there. */
const killed = (): LeftBehind[] =>
  (recording?.left ?? []).filter(
    ({host}) => host?.has(NODE_YAML) === true && host.journal.some(({kind}) => kind === 'began'),
  )

/** What a row of status says is gone, or stopped, by the check that doctor shows it in. */
function goneIn({firewall, images, network, node, programs, services}: StatusDocument): string[] {
  const isAll = (things: readonly {readonly state: string}[] | null, state: string): boolean =>
    things?.every((one) => one.state === state) ?? true
  const stateOf = (service: string) => services.find(({name}) => name === service)?.state
  const isStopped = (service: string): boolean => ['absent', 'stopped'].includes(stateOf(service) ?? '')
  return [
    ...(isAll(firewall, 'open') ? [] : ['node-firewall']),
    ...(isAll(images, 'present') ? [] : ['image-build']),
    ...(isAll(programs, 'verified') ? [] : ['node-programs']),
    ...(isAll(services, 'running') ? [] : ['node-services']),
    ...(isStopped('kubeproxy') ? ['services-proof'] : []),
    ...(isStopped('kubelet') ? ['kubelet-port'] : []),
    ...(network?.present === true ? [] : ['overlay-network', 'services-proof']),
    ...(node?.registered === true && stateOf('kubelet') === 'running' ? [] : ['node-condition']),
  ]
}

function judge(status: StatusDocument, {document: doctor, notable, check}: Examination, where: string): void {
  expect({id: status.problems.map(({id}) => id), exitCode: status.exitCode, verdict: status.verdict}, where).toEqual({
    exitCode: 8,
    id: ['RESET_UNFINISHED'],
    verdict: 'degraded',
  })
  const [problem] = status.problems
  expect(problem?.next, where).toMatch(/^Run "k8s-win reset --purge"/)
  expect(status.warnings.join('\n'), where).not.toMatch(/k8s-win setup/)
  expect(doctor.problems, where).toMatchObject([{id: 'RESET_UNFINISHED', next: problem?.next}])
  expect(doctor, where).toMatchObject({exitCode: 3, health: 'degraded', node: 'leaving'})

  // The count of failures is that of the list, and no warning advises to set up the node.
  const rows = doctor.groups.flatMap(({checks}) => checks)
  expect(
    rows.filter(({result}) => result === 'fail').map(({id}) => id),
    where,
  ).toEqual(['node-records'])
  expect(doctor.recap.failed, where).toBe(doctor.problems.length)
  expect(
    rows.filter(({fix = '', id}) => id !== 'node-records' && fix.includes('k8s-win setup')),
    where,
  ).toEqual([])

  // Nothing that is gone is called healthy, in either of them.
  const gone = goneIn(status)
  expect(
    gone.filter((id) => notable[id] !== 'not-checked'),
    where,
  ).toEqual([])
  const dependents = rows.filter(({dependsOn}) => dependsOn === 'node-records').length
  for (const id of gone) expect(check(id as 'node-firewall').dependsOn, `${where}: ${id}`).toBe('node-records')
  if (dependents > 0) expect(doctor.problems[0]?.dependents, where).toBe(dependents)
  const row = statusRows(status).find(({label}) => label === 'node')
  expect(row?.mark, where).toBe(gone.includes('node-condition') ? 'bad' : 'good')
}

describe('review U5: a reset that was killed', () => {
  test('there are enough points to be killed at, and everything is gone at one of them', () => {
    expect(killed().length).toBeGreaterThan(FEWEST)
  })

  test('has one story in status and doctor, wherever it was killed', async () => {
    const gone = new Set<string>()
    for (const {host, points} of killed()) {
      if (!host) continue
      const {document} = await statusOn(host.dir)
      for (const id of goneIn(document)) gone.add(id)
      judge(document, await examine(host), `killed ${points[0]}`)
    }
    expect([...gone].sort()).toEqual([
      'image-build',
      'kubelet-port',
      'node-condition',
      'node-firewall',
      'node-programs',
      'node-services',
      'overlay-network',
      'services-proof',
    ])
  }, 120_000)

  test('with the cluster out of reach, that is reported beside it: the reset needs the cluster', async () => {
    const host = killed().at(-1)?.host?.copy()
    if (!host) throw new Error('nothing was killed')
    host.edit(({cluster}) => (cluster.reachable = false))
    const {document} = await statusOn(host.dir)
    expect(document.problems.map(({id}) => id)).toEqual(['RESET_UNFINISHED', 'API_SERVER_UNREACHABLE'])
    host.discard()
  })

  test('setup restores the node', async () => {
    const host = killed().at(-1)?.host?.copy()
    if (!host) throw new Error('nothing was killed')
    const holder = {command: 'k8s-win setup', processId: 4712, user: 'administrator'}
    expect((await setupOn(host.dir, {}, {holder})).result.error).toBeUndefined()
    expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, verdict: 'healthy'})
    host.discard()
  })
})

test('review U5: while the kubelet is stopped, the node is not called Ready', async () => {
  const host = await healthyNode()
  host.edit(({services}) => Object.assign(services['kubelet'] ?? {}, {processId: 0, stage: '', state: 'stopped'}))
  const {document} = await statusOn(host.dir)
  expect(document.node?.ready).toBe(true)
  expect(statusRows(document).find(({label}) => label === 'node')?.mark).toBe('bad')
  const {check} = await examine(host)
  expect(check('node-condition')).toMatchObject({dependsOn: 'node-services', result: 'not-checked'})
  host.discard()
})
