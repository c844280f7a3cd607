// What status says where its answers are kept from it, its records are lost, or a run did not finish: what it
// knows, and not that another account did it.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {statusRows} from '../../src/output/status/status-rows.js'
import type {TimedEvent} from '../../src/pipeline/run/events.js'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {noteBeginning} from '../pipeline/ledger/note-in.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn, told} from '../status/status-on.js'
import {KUBELET_RULE} from '../steps/drifts/windows.js'
import {HostFolder} from '../steps/host-folder.js'

const STATE = String.raw`k\k8s-win`
const JOURNAL = String.raw`${STATE}\journal.ndjson`
const NODE_YAML = String.raw`${STATE}\node.yaml`
const BLAME = /Somebody|by hand|another tool/

let killed = HostFolder.empty()
let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => {
  killed.discard()
  node.discard()
})

function copy(change: (host: HostFolder) => void): HostFolder {
  const host = node.copy()
  onTestFinished(() => host.discard())
  change(host)
  return host
}

const look = async (change: (host: HostFolder) => void): Promise<StatusDocument> =>
  (await statusOn(copy(change).dir)).document
const markOf = (document: StatusDocument, label: string) =>
  statusRows(document).find((row) => row.label === label)?.mark
const statesOf = ({drift}: StatusDocument, ...steps: readonly string[]) =>
  drift?.filter(({step}) => steps.includes(step)).map(({state}) => state)

describe('what was not answered is not checked', () => {
  test('HNS, for a user who is not an administrator', async () => {
    const document = await look((host) => host.edit(({os}) => void (os.administrator = false)))
    expect(document).toMatchObject({exitCode: 8, network: null, problems: []})
    expect(statesOf(document, 'overlay-network', 'source-vip')).toEqual(['not-checked', 'not-checked'])
    expect(document.notChecked.map(({what}) => what).join()).toContain('the overlay network vxlan0')
    expect([markOf(document, 'network'), markOf(document, 'drift')]).toEqual(['not-checked', 'not-checked'])
  })

  test('HNS, where it is unhealthy itself', async () => {
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async ({what}, perform) =>
        what === 'hnsCall' ? ({hresult: -2_147_467_259, response: ''} as never) : perform(),
      )
    const {document} = await statusOn(node.dir, {wrap})
    expect(document.problems.map(told)).toEqual(['network: vxlan0'])
    expect(document.network).toBeNull()
    expect(statesOf(document, 'overlay-network', 'source-vip')).toEqual(['not-checked', 'not-checked'])
    expect(markOf(document, 'network')).toBe('not-checked')
  })

  test('the cluster', async () => {
    const document = await look((host) => host.edit(({cluster}) => void (cluster.reachable = false)))
    // review W1: Services are not proven then, for the same reason.
    expect(document.problems).toMatchObject([
      {area: 'node', id: 'API_SERVER_UNREACHABLE'},
      {area: 'network', explainedBy: 'API_SERVER_UNREACHABLE', id: 'SERVICES_UNREADABLE'},
    ])
    expect(markOf(document, 'node')).toBe('not-checked')
  })
})

test('all records are gone, and the services run from here', async () => {
  const document = await look((host) => host.remove(STATE))
  expect(document).toMatchObject({exitCode: 8, network: {present: true}, node: {ready: true}, verdict: 'degraded'})
  expect(document.problems.map(told)).toEqual([`setup: C:\\${STATE}`])
  expect(document.problems[0]?.seen).toMatch(/records of setup in .* are lost/)
  expect(document.problems[0]?.next).toMatch(/^Run "k8s-win setup --node-name /)
})

test('services of others in our folder are no lost node', async () => {
  const document = await look((host) => {
    host.remove(STATE)
    host.edit(({services}) =>
      Object.values(services).forEach((one) => Object.assign(one.config, {description: 'Of others'})),
    )
  })
  expect(document.exitCode).toBe(9)
})

test('without records it is not known which release was wanted', async () => {
  const document = await look((host) => {
    host.remove(STATE)
    host.edit(({cluster}) => cluster.nodes.forEach((one) => Object.assign(one, {kubeletVersion: 'v1.20.0'})))
  })
  expect(document.node?.version).toBe('v1.20.0')
  expect(document.problems.map(told)).toEqual([`setup: C:\\${STATE}`])
})

describe('the journal is lost, and only that', () => {
  test.each<[string, (host: HostFolder) => void, RegExp]>([
    ['gone', (host) => host.remove(JOURNAL), /missing or incomplete/],
    ['empty', (host) => host.put(JOURNAL, ''), /missing or incomplete/],
    ['cut', (host) => host.put(JOURNAL, host.read(JOURNAL).slice(0, 400)), /its end is missing/],
    ['rubbish', (host) => host.put(JOURNAL, '\u0000\u0001'), /nothing in it can be read/],
  ])('%s', async (_, change, seen) => {
    const document = await look(change)
    expect(document.problems.map(told)).toEqual([`setup: C:\\${JOURNAL}`])
    expect(document.problems[0]).toMatchObject({
      next: expect.stringMatching(/^Run "k8s-win setup" again: it verifies programs/) as string,
      seen: expect.stringMatching(seen) as string,
    })
    expect(statesOf(document, 'base-images')).toEqual(['not-checked'])
    expect(JSON.stringify(document)).not.toContain('has not been run on this host yet')
  })
})

test('the journal was lost: a preview says so once, before its steps, and after a setup nothing is left to warn of', async () => {
  const host = copy((one) => one.remove(JOURNAL))
  const {events} = await setupOn(host.dir, {}, {dryRun: true})
  const isLoss = (event: TimedEvent): boolean => event.type === 'log' && event.message.includes('was lost')
  expect(events.filter(isLoss)).toHaveLength(1)
  expect(events.findIndex(isLoss)).toBeLessThan(events.findIndex(({type}) => type === 'step-started'))
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: [], warnings: []})
})

test.each([60, 80])('of the journal only the first %i lines are left: reported as damaged', async (lines) => {
  const document = await look((host) => host.put(JOURNAL, `${host.read(JOURNAL).split('\n', lines).join('\n')}\n`))
  expect(document.exitCode).toBe(8)
  // What the lost lines had noted of the network may count as drift beside it.
  expect(document.problems.map(told)).toContain(`setup: C:\\${JOURNAL}`)
})

describe('a run did not finish', () => {
  test('setup is running: that is said, with who and since when, and it is not suggested to run it again', async () => {
    const fresh = HostFolder.empty()
    onTestFinished(() => fresh.discard())
    const seen: StatusDocument[] = []
    const holder = {command: 'k8s-win setup', processId: 4711, user: 'ann'}
    await setupOn(
      fresh.dir,
      {},
      {
        holder,
        async after({args, via}) {
          if (seen.length > 0 || via !== 'files' || !args[0]?.includes('net-conf.json')) return
          if (fresh.has(JOURNAL)) seen.push((await statusOn(fresh.dir)).document)
        },
      },
    )
    expect(seen[0]).toMatchObject({exitCode: 8, warnings: []})
    expect(seen[0]?.problems).toMatchObject([
      {
        cause: expect.stringMatching(
          /^The lock is held by process 4711 of ann, which began at 20.*: k8s-win setup/,
        ) as string,
        id: 'SETUP_RUNNING',
        next: expect.stringMatching(/^Wait until it has finished.*k8s-win status/) as string,
        seen: expect.stringMatching(/^setup has been running since 20/) as string,
      },
    ])
  })

  test('setup was killed', async () => {
    let isTaken = false
    const fresh = HostFolder.empty()
    onTestFinished(() => fresh.discard())
    await setupOn(
      fresh.dir,
      {},
      {
        async after({args, via}) {
          if (isTaken || via !== 'files' || !args[0]?.includes('net-conf.json')) return
          isTaken = new HostFolder(fresh.dir).has(JOURNAL)
          if (isTaken) killed = fresh.copy()
        },
      },
    )
    const {document} = await statusOn(killed.dir)
    expect(document.problems.map(told)).toEqual([String.raw`setup: C:\k`])
    expect(document.problems[0]).toMatchObject({
      next: 'Run "k8s-win setup" with the options it was run with: it resumes.',
    })
    expect(JSON.stringify(document.problems)).not.toMatch(BLAME)
    expect(['node', 'kubelet', 'network', 'firewall'].map((label) => markOf(document, label))).toEqual(
      Array.from({length: 4}, () => 'bad'),
    )
  })

  test('a reset could not finish', async () => {
    const host = copy((one) =>
      one.edit(({docker, services}) => {
        docker.running = false
        Object.assign(services['docker'] ?? {}, {exitCode: 0, processId: 0, state: 'stopped'})
      }),
    )
    const given = {'keep-node': true, purge: true, yes: true}
    expect((await resetOn(host.dir, {given})).result.exitCode).toBe(7)
    const {document} = await statusOn(host.dir)
    const [root, ...more] = document.problems
    expect(root).toMatchObject({area: 'setup', seen: expect.stringContaining('Reset in') as string})
    expect(root?.next).toMatch(/^Run "k8s-win reset --keep-node --purge" .*k8s-win setup/)
    expect(JSON.stringify(more.filter(({area}) => area !== 'runtime'))).not.toMatch(BLAME)
    expect(more.length).toBeLessThan(4)
    expect(document.drift).toBeNull()
  })

  test('a reset is running: it is not suggested to run it again', async () => {
    const record = {command: 'k8s-win reset --yes', processId: 4711, since: '2026-11-15T12:00:00.000Z', user: 'ann'}
    const host = copy((one) => one.put(String.raw`${STATE}\lock.json`, JSON.stringify(record)))
    const release = host.lock(String.raw`Global\k8s-win`)
    // Before its first change, such as at its question.
    const {document: before} = await statusOn(host.dir)
    noteBeginning(host, 'reset')
    const {document} = await statusOn(host.dir)
    await release?.()
    expect(before).toMatchObject({exitCode: 0, problems: [], warnings: [expect.stringContaining('reset --yes')]})
    expect(document.problems[0]).toMatchObject({id: 'RESET_RUNNING', next: expect.stringMatching(/^Wait/) as string})
  })

  test('a reset was killed: its flags are those that it recorded', async () => {
    const command = 'k8s-win reset --drain -Purge:$true --keep-node --password=hunter2 C:\\x'
    const document = await look((host) => {
      host.put(String.raw`${STATE}\lock.json`, JSON.stringify({command, since: 'x'}))
      noteBeginning(host, 'reset', 'purge')
      host.edit(({services}) => void Reflect.deleteProperty(services, 'kubeproxy'))
    })
    expect(document.problems.map(({seen}) => seen)).toEqual([expect.stringContaining('Reset in')])
    expect(document.problems[0]?.command).toBe('k8s-win reset --purge')
  })

  test('a reset that was refused has taken nothing', async () => {
    const result = {command: 'reset', exitCode: 3, steps: []}
    const document = await look((host) => host.put(String.raw`${STATE}\result.json`, JSON.stringify(result)))
    expect(document.exitCode).toBe(0)
  })
})

test('a rule of others with our name is not replaced by setup alone', async () => {
  const document = await look((host) =>
    host.edit(({firewall}) => {
      const [rule] = firewall[KUBELET_RULE] ?? []
      if (rule) firewall[KUBELET_RULE] = [{...rule, description: 'Of others', localPort: '1'}]
    }),
  )
  expect(document.problems.map(told)).toEqual([`firewall: ${KUBELET_RULE}`])
  expect(document.problems[0]?.next).toMatch(/^Run setup with --adopt to replace it/)
})

test('node.yaml that is not YAML has one cause', async () => {
  const document = await look((host) => host.put(NODE_YAML, '{{{{'))
  const {cause = ''} = document.problems.find(({subject}) => subject.endsWith('node.yaml')) ?? {}
  expect(cause).not.toBe('')
  expect(cause.split(/[;.] /)).toHaveLength(1)
})

test('node.yaml of a node elsewhere is not healthy', async () => {
  const document = await look((host) =>
    host.put(NODE_YAML, host.read(NODE_YAML).replace(/^baseDir: .*$/m, String.raw`baseDir: 'D:\other'`)),
  )
  expect(document.problems.map(({seen}) => seen)).toEqual([
    expect.stringContaining(String.raw`describes a node in D:\other`),
  ])
})
