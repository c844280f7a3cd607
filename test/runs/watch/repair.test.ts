// Every way in which a node breaks, and a repair by watch: what died is repaired, and what a user changed stays as it is
// and is reported.
import {beforeAll, describe, expect, test} from 'vitest'
import {DAEMONS} from '../../../src/config/daemons.js'
import type {RuntimeName} from '../../../src/config/model.js'
import {textAt} from '../../../src/host/document.js'
import type {Effect} from '../../../src/machine/intercept.js'
import {readJournal} from '../../../src/pipeline/ledger/journal-format.js'
import {FITTING, hostWith} from '../../fixtures/present-containerd.js'
import {BROKEN_NODES, type BrokenNode} from '../../hosts/broken-nodes.js'
import {isWhole, turn} from '../../sample.js'
import {setupOn} from '../../setup/in-process.js'
import {halt} from '../../steps/drifts/services.js'
import {HostFolder} from '../../steps/host-folder.js'
import {inspectOn, repairOn} from './repair-on.js'

const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}
const RESULT = String.raw`k\k8s-win\result.json`

const NODES = new Map<RuntimeName, HostFolder>()
beforeAll(async () => {
  for (const runtime of ['docker', 'containerd'] as const) {
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, PROFILES[runtime])).result.error).toBeUndefined()
    NODES.set(runtime, host)
  }
})

const nodeWith = (runtime: RuntimeName): HostFolder => (NODES.get(runtime) ?? HostFolder.empty()).copy()

/** What a user changed: nothing of it is repaired. */
const CHANGED = ['service-drifted', 'rule-drifted', 'file-drifted', 'program-altered', 'address-changed']
/** The loop reports it, which sees it more often (lost-address.test.ts). */
const SEEN_BY_LOOP = ['address-changed']
/** Neither died on the node nor was changed on it. */
const ELSEWHERE = ['clock', 'disk-full', 'cluster-gone', 'runtime-hung']

/** The host's own settings are put back, or kube-proxy gets another source VIP. */
const REPLACED = ['route-lost', 'dns-lost', 'old-pod-cidr']

const ROWS = BROKEN_NODES.filter(({id}, index) => isWhole || BROKEN_NODES.findIndex((one) => one.id === id) === index)
const titleOf = ({id, name}: BrokenNode): string => (name === undefined ? id : `${id}: ${name}`)

const isDownload = ({args, via, what}: Effect): boolean =>
  (via === 'http' && /^https:\/\/(?!(?:\d+\.){3}\d+)/.test(String(args[0]))) ||
  [what, ...args].some((word) => /^pull$|images\/create/.test(word))

/** Whatever a person can change: services but for their processes, rules, files but for records. */
function configured(host: HostFolder): unknown {
  const {firewall, services} = host.world
  // Windows moves them to the virtual switch.
  const addresses = host.world.adapters.map(({addresses: own, dnsServers, gateways}) => ({dnsServers, gateways, own}))
  const registered = Object.entries(services).map(([name, entry]) => [name, {...entry?.config}])
  const files = host.filesBut((name) => /\/k8s-win\/|\/logs\/|(?:^|\/)run\/|var\/lib/.test(name))
  return {addresses, files, firewall, registered}
}

const statesOf = ({world}: HostFolder): unknown =>
  DAEMONS.map(({service}) => [service, world.services[service]?.state, world.services[service]?.processId])

/** Each ID, with its runtimes in turn. */
const CASES = ROWS.flatMap((row, nth) =>
  row.runtimes.flatMap((runtime, at) =>
    isWhole || at === nth % row.runtimes.length ? [{row, runtime, title: titleOf(row)}] : [],
  ),
)

describe.each(CASES)('$title, with $runtime', ({row, runtime}) => {
  test('repair', async () => {
    const host = nodeWith(runtime)
    await row.break(host)
    const before = {configured: configured(host), result: host.read(RESULT), states: statesOf(host)}
    const downloads: string[] = []
    const outcome = await repairOn(host.dir, {
      before: (effect) => void (isDownload(effect) && downloads.push([effect.what, ...effect.args].join(' '))),
    })
    expect(downloads).toEqual([])
    expect(host.read(RESULT)).toBe(before.result)
    expect(host.list(String.raw`k\k8s-win`)).not.toContain('lock.json')
    const problems = outcome.problems.map(({error}) => error.id)
    if (CHANGED.includes(row.id)) {
      expect(outcome).toMatchObject({changed: 0, exitCode: 0})
      expect(configured(host)).toEqual(before.configured)
      expect(statesOf(host)).toEqual(before.states)
      expect(problems.length > 0).toBe(!SEEN_BY_LOOP.includes(row.id))
    } else if (!ELSEWHERE.includes(row.id) && row.ends === 'healthy') {
      expect(outcome).toMatchObject({exitCode: 0, problems: []})
      if (!REPLACED.includes(row.id)) expect(configured(host)).toEqual(before.configured)
      for (const name of row.restarts) expect([name, host.world.services[name]?.state]).toEqual([name, 'running'])
      const second = await repairOn(host.dir)
      expect(second).toEqual({changed: 0, exitCode: 0, problems: []})
    } else {
      const isRuntime = row.id.startsWith('runtime-')
      if (isRuntime) expect(problems).not.toEqual([])
      expect(configured(host)).toEqual(before.configured)
    }
  })
})

const serviceOf = ({world}: HostFolder, name: string) => {
  const entry = world.services[name]
  if (!entry) throw new Error(`there is no service ${name}`)
  return entry
}

describe('what died was changed, too', () => {
  test('it is started as it is', async () => {
    const host = nodeWith('docker')
    host.edit((world) => {
      const entry = world.services['kubelet']
      if (!entry) throw new Error('there is no kubelet')
      halt(entry, world)
      entry.config = {...entry.config, imagePath: `${entry.config.imagePath} --v=5`}
    })
    host.put(String.raw`k\kubelet-config.yaml`, `${host.read(String.raw`k\kubelet-config.yaml`)}# by hand\n`)
    const before = configured(host)
    const outcome = await repairOn(host.dir)
    expect(outcome.exitCode).toBe(0)
    expect(outcome.changed).toBeGreaterThan(0)
    expect(serviceOf(host, 'kubelet').state).toBe('running')
    expect(configured(host)).toEqual(before)
    const about = outcome.problems.map(({component, error}) => [component, error.id])
    expect(about).toContainEqual(['kubelet', 'DRIFTED'])
    for (const {error} of outcome.problems) expect(error.fix).toContain('k8s-win recover')
  })

  test.each(
    DAEMONS.flatMap(({service}, nth) =>
      turn(['disabled', 'demand'] as const, nth).map((type) => [service, type] as const),
    ),
  )('%s does not start with Windows (%s): it is left alone', async (service, startType) => {
    const host = nodeWith('containerd')
    host.edit((world) => {
      const entry = world.services[service]
      if (!entry) throw new Error(`there is no ${service}`)
      halt(entry, world)
      entry.config = {...entry.config, startType}
    })
    const before = configured(host)
    const {changed} = await repairOn(host.dir)
    expect(changed).toBe(0)
    expect(serviceOf(host, service)).toMatchObject({config: {startType}, state: 'stopped'})
    expect(configured(host)).toEqual(before)
  })
})

test('a kube-proxy that runs on demand keeps running where its network would have to be replaced', async () => {
  const host = nodeWith('docker')
  await BROKEN_NODES.find(({id}) => id === 'old-pod-cidr')?.break(host)
  host.edit(({services}) => {
    const entry = services['kubeproxy']
    if (entry) entry.config = {...entry.config, startType: 'demand'}
  })
  const {processId} = serviceOf(host, 'kubeproxy')
  const outcome = await repairOn(host.dir)
  expect(outcome.problems[0]).toMatchObject({component: 'network', error: {id: 'OVERLAY_NETWORK_WRONG'}})
  expect(serviceOf(host, 'kubeproxy')).toMatchObject({config: {startType: 'demand'}, processId, state: 'running'})
})

describe('a containerd that was there before setup', () => {
  test('is not touched, and the rest is repaired', async () => {
    const [layout] = Object.values(FITTING)
    if (!layout) throw new Error('there is no layout')
    const host = await hostWith(layout)
    expect((await setupOn(host.dir)).result.exitCode).toBe(0)
    host.edit((world) => {
      for (const name of ['containerd', 'flanneld']) {
        const entry = world.services[name]
        if (entry) halt(entry, world)
      }
    })
    const before = configured(host)
    const {problems} = await repairOn(host.dir)
    expect([serviceOf(host, 'containerd').state, serviceOf(host, 'flanneld').state]).toEqual(['stopped', 'running'])
    expect(configured(host)).toEqual(before)
    expect(problems.map(({component}) => component)).toContain('runtime')
    host.discard()
  })
})

test.each([
  [['kubelet-service'], 'kubelet'],
  [['flanneld-service', 'overlay-network', 'source-vip', 'kubeproxy-service'], 'network'],
])('a repair of %j that is refused has failed for %s', async (steps, component) => {
  const host = nodeWith('docker')
  host.edit((world) => (world.os.administrator = false))
  const outcome = await repairOn(host.dir, {steps})
  expect(outcome).toMatchObject({changed: 0, exitCode: 3})
  expect(outcome.problems[0]).toMatchObject({component, error: {id: 'NOT_ADMINISTRATOR'}})
})

test('only steps that watch may run are run', async () => {
  const host = nodeWith('docker')
  host.edit((world) => {
    for (const name of ['kubelet', 'flanneld']) {
      const entry = world.services[name]
      if (entry) halt(entry, world)
    }
    world.firewall = {}
  })
  expect(await repairOn(host.dir, {steps: ['firewall-rules', 'kubelet-service', 'x']})).toMatchObject({exitCode: 0})
  expect([serviceOf(host, 'kubelet').state, serviceOf(host, 'flanneld').state]).toEqual(['running', 'stopped'])
  expect(host.world.firewall).toEqual({})
})

describe('the journal', () => {
  const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

  async function repaired(change: (host: HostFolder) => void): Promise<string> {
    const host = nodeWith('docker')
    change(host)
    host.edit((world) => {
      const entry = world.services['kubelet']
      if (entry) halt(entry, world)
    })
    await repairOn(host.dir)
    expect(serviceOf(host, 'kubelet').state).toBe('running')
    return host.has(JOURNAL) ? host.read(JOURNAL) : ''
  }

  test('that a user removed is not made anew', async () => {
    expect(await repaired((host) => host.remove(JOURNAL))).not.toContain('"kind":"file"')
  })

  test('that a user changed is left to recover', async () => {
    let before = ''
    const after = await repaired((host) => {
      before = host.read(JOURNAL).replace(/.*network-verified.*\n/, 'xxx\n')
      host.put(JOURNAL, before)
    })
    expect(before).toContain('xxx')
    expect(after.startsWith(before)).toBe(true)
  })

  test('whose last line a crash has cut is repaired', async () => {
    const cut = await repaired((host) => host.put(JOURNAL, `${host.read(JOURNAL)}{"at":"2026`))
    expect(cut).not.toContain('{"at":"2026\n')
    expect(readJournal(cut)).toMatchObject({isCut: false, missing: 0, unreadable: []})
  })
})

test('a kubelet that hangs is restarted', async () => {
  const host = nodeWith('docker')
  host.edit((world) => {
    const entry = world.services['kubelet']
    if (entry) entry.listening = []
  })
  const before = serviceOf(host, 'kubelet').processId
  const outcome = await repairOn(host.dir)
  expect(outcome).toMatchObject({exitCode: 0, problems: []})
  expect(serviceOf(host, 'kubelet').processId).not.toBe(before)
})

test('a lost source VIP is reserved again, and kube-proxy gets it', async () => {
  const host = nodeWith('docker')
  const folder = String.raw`var\lib\cni\networks\vxlan0`
  for (const name of host.list(folder)) if (/^[\d.]+$/.test(name)) host.remove(`${folder}\\${name}`)
  const outcome = await repairOn(host.dir)
  expect(outcome).toMatchObject({exitCode: 0, problems: []})
  const [, vip] = /--source-vip=(\S+)/.exec(serviceOf(host, 'kubeproxy').config.imagePath) ?? []
  expect(host.list(folder)).toContain(vip)
})

describe('it stops', () => {
  const kill = (host: HostFolder): void =>
    host.edit((world) => {
      for (const name of ['flanneld', 'kubeproxy']) {
        const entry = world.services[name]
        if (entry) halt(entry, world)
      }
    })

  test('where another run wants the lock: the next repair completes it', async () => {
    const host = nodeWith('docker')
    kill(host)
    const records: unknown[] = []
    let withdraw: (() => Promise<void>) | undefined
    const outcome = await repairOn(host.dir, {
      before({args, what}) {
        if (what !== 'startService' || args[0] !== 'flanneld') return
        records.push(JSON.parse(host.read(String.raw`k\k8s-win\lock.json`)))
        withdraw ??= host.lock(String.raw`Global\k8s-win-wanted`)
      },
    })
    expect(outcome).toMatchObject({exitCode: 130, problems: [{error: {id: 'INTERRUPTED'}}]})
    expect(serviceOf(host, 'kubeproxy').state).toBe('stopped')
    expect(records.map((record) => textAt(record, 'command'))).toEqual(['k8s-win watch'])
    expect(textAt(records[0], 'log')).toMatch(/\\watch-2[^\\]+\.log$/)
    await withdraw?.()
    expect(await repairOn(host.dir)).toMatchObject({exitCode: 0, problems: []})
    expect(serviceOf(host, 'kubeproxy').state).toBe('running')
  })

  test('while the node is paused: nothing is changed', async () => {
    const host = nodeWith('docker')
    host.put(String.raw`k\k8s-win\pause.json`, JSON.stringify({since: '2020-01-01T00:00:00Z', until: null}))
    host.edit((world) => {
      const entry = world.services['kubelet']
      if (entry) halt(entry, world)
    })
    expect(await repairOn(host.dir)).toMatchObject({changed: 0, exitCode: 130})
    expect(serviceOf(host, 'kubelet').state).toBe('stopped')
  })
})

describe('inspect', () => {
  test('a healthy node: nothing is found or changed, and the cluster is not asked', async () => {
    for (const runtime of ['docker', 'containerd'] as const) {
      const host = nodeWith(runtime)
      const before = host.state
      const asked: string[] = []
      const found = await inspectOn(host.dir, {
        before: ({args, via}) =>
          void (via === 'http' && /^https:/.test(String(args[0])) && asked.push(String(args[0]))),
      })
      expect(found).toEqual({changed: 0, exitCode: 0, problems: []})
      expect(asked).toEqual([])
      expect(host.state).toEqual(before)
    }
  })

  test.each(ROWS.filter(({id}) => CHANGED.includes(id) && id !== 'address-changed').map((row) => [titleOf(row), row]))(
    '%s is reported',
    async (_, row) => {
      const host = nodeWith('docker')
      await row.break(host)
      const before = host.state
      const {exitCode, problems} = await inspectOn(host.dir)
      expect(exitCode).toBe(8)
      expect(problems.map(({error}) => error.id)).not.toEqual([])
      expect(host.state).toEqual(before)
    },
  )

  test.each(['containerd', 'docker'] as const)(
    'base images that the kubelet has removed from a full drive are no problem, and a sandbox image is: %s',
    async (runtime) => {
      const host = nodeWith(runtime)
      const remove = (pattern: RegExp): void =>
        host.edit((world) => {
          const state = runtime === 'docker' ? world.docker : world.containerd
          const others = state.images.filter(({tags}) => !tags.some((tag) => pattern.test(tag)))
          expect(others.length).toBeLessThan(state.images.length)
          Object.assign(state, {images: others})
        })
      remove(/\/windows\/(?:nanoserver|servercore):/)
      expect(await inspectOn(host.dir)).toEqual({changed: 0, exitCode: 0, problems: []})
      remove(/pause/)
      expect((await inspectOn(host.dir)).problems).toMatchObject([
        {component: runtime === 'docker' ? 'runtime' : runtime},
      ])
    },
  )

  test('what died is left to the loop', async () => {
    const host = nodeWith('docker')
    host.edit((world) => {
      for (const name of ['kubelet', 'flanneld', 'kubeproxy']) {
        const entry = world.services[name]
        if (entry) halt(entry, world)
      }
      world.hns.networks = []
    })
    expect(await inspectOn(host.dir)).toEqual({changed: 0, exitCode: 0, problems: []})
  })
})

describe('without the cluster', () => {
  const DEAD = ROWS.filter(({id}) => ['one-dead', 'two-dead', 'all-dead', 'runtime-dead'].includes(id))

  test.each(DEAD.filter(({ends}) => ends === 'healthy').map((row) => [titleOf(row), row] as const))(
    '%s: the daemons are started as they are',
    async (_, row) => {
      const host = nodeWith('containerd')
      host.edit((world) => (world.cluster.reachable = false))
      await row.break(host)
      const before = configured(host)
      const {changed, problems} = await repairOn(host.dir)
      expect(changed).toBeGreaterThan(0)
      for (const name of row.restarts) expect([name, serviceOf(host, name).state]).toEqual([name, 'running'])
      expect(configured(host)).toEqual(before)
      const others = problems.map(({error}) => error.id).filter((id) => id !== 'API_SERVER_UNREACHABLE')
      expect(others).toEqual([])
    },
  )
})
