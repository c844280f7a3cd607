// The table of checks by right, compared with the requests that the checks make and with the authorizers; and what the
// checks report of a node that has the rights of a node only.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {nodeAccessObjects} from '../../src/components/node-access.js'
import {type AskedRight, CHECK_RIGHTS, type Holder, rightsTable, rightText} from '../../check-rights.js'
import {NODE_CHECKS} from '../../src/health/health-checks.js'
import {hostOptions, openHost} from '../../src/host/host.js'
import {type EffectEntry, tracedMachine} from '../../src/machine/traced.js'
import {Facts} from '../../src/preflight/facts.js'
import {CHECKS, runChecks} from '../../src/preflight/index.js'
import type {Identity} from '../../src/simulator/cluster/identity.js'
import {authorize} from '../../src/simulator/cluster/permissions.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {examine} from '../doctor/doctor-rig.js'
import {allowEverything} from '../fakes/administrator.js'
import {assets} from '../fixtures/assets.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'

const PROFILE = 'ws2025'
const ALL = [...CHECKS, ...NODE_CHECKS]
const NAMES = nodeAccessObjects().map(({metadata}) => metadata.name)

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await HostFolder.fresh(() => {}, PROFILE)
  const {result} = await setupOn(node.dir)
  expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
})
afterAll(() => node.discard())

/** A node with what kubeadm and the Node authorizer give it, and nothing else. */
function withoutNodeAccess({cluster}: World): void {
  cluster.roleBindings = cluster.roleBindings?.filter(({name}) => !NAMES.includes(name)) ?? []
}

/** What it asks of the API server, without its version and by whom. */
function requestsOf(effects: readonly EffectEntry[]): string[] {
  const texts = effects.flatMap(({args: [url = ''], via, what}) => {
    const {pathname, searchParams} = URL.canParse(url) ? new URL(url) : new URL('https://x')
    const parts = /^\/api(?:s\/([^/]+))?\/v1(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/.exec(pathname)
    if (via !== 'http' || !parts) return []
    const [, group = '', namespace, resource = '', path] = parts
    const field = /^metadata\.name=(.+)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1]
    const verb = what === 'POST' ? 'create' : what === 'DELETE' ? 'delete' : path === undefined ? 'list' : 'get'
    const name = path ?? field
    const shown = name === 'win-1' ? 'this node' : name
    return [
      rightText({
        group,
        holder: 'everyone',
        ...(shown !== undefined && {name: shown}),
        ...(namespace !== undefined && {namespace}),
        resource,
        verb,
      }),
    ]
  })
  return [...new Set(texts)].sort()
}

async function requestsIn(folder: HostFolder, check: (typeof ALL)[number]): Promise<string[]> {
  const effects: EffectEntry[] = []
  const simulated = await openSimulator({dir: folder.dir, profile: PROFILE, readOnly: true})
  const machine = tracedMachine(simulated, (entry) => effects.push(entry))
  const config = setupConfig({release: '1.36.4'})
  const host = openHost(machine, hostOptions(assets, config))
  await check.inspect(new Facts(config, host, {all: () => [], entries: () => []})).catch(() => {})
  return requestsOf(effects)
}

describe('the table', () => {
  test('has each check once, and no other', () => {
    const ids = CHECK_RIGHTS.flatMap((rights) => rights.ids)
    expect(new Set(ids).size).toBe(ids.length)
    expect(rightsTable()).toHaveLength(CHECK_RIGHTS.length)
    for (const row of rightsTable()) expect(row.every((cell) => cell !== '')).toBe(true)
  })

  test('is what the checks ask: with every right, and with those of a bare node', async () => {
    const [free, bare] = [node.copy(), node.copy()]
    free.edit(allowEverything)
    bare.edit(withoutNodeAccess)
    for (const check of ALL) {
      const asked = [...(await requestsIn(free, check)), ...(await requestsIn(bare, check))]
      const listed = CHECK_RIGHTS.find(({ids}) => ids.some((id) => id === check.id))?.asks ?? []
      expect([check.id, [...new Set(asked)].sort()]).toEqual([check.id, listed.map(rightText).sort()])
    }
    free.discard()
    bare.discard()
  })

  test('has everything that doctor asks', async () => {
    const copy = node.copy()
    const effects: EffectEntry[] = []
    await examine(copy, {profile: PROFILE, wrap: (machine) => tracedMachine(machine, (entry) => effects.push(entry))})
    copy.discard()
    const listed = new Set(CHECK_RIGHTS.flatMap(({asks}) => asks.map(rightText)))
    expect(requestsOf(effects).filter((request) => !listed.has(request))).toEqual([])
  })
})

const NODE: Identity = {groups: ['system:nodes', 'system:authenticated'], user: 'system:node:win-1'}
const isAllowed = (right: AskedRight, version: string, hasNodeAccess: boolean, identity = NODE): boolean => {
  const cluster = makeCluster(version)
  if (!hasNodeAccess) withoutNodeAccess({cluster} as World)
  const {group, name = '', namespace = '', resource, verb} = right
  const own = name === 'this node' ? 'win-1' : name
  return authorize(cluster, identity, {group, name: own, namespace, resource, verb}).allowed
}

/** On 1.31 and 1.36, without and with node-access. A pod is refused by admission, not by the authorizers. */
const EXPECTED: Readonly<Record<Holder, readonly boolean[]>> = {
  administrator: [false, false, false, false],
  everyone: [true, true, true, true],
  node: [true, true, true, true],
  'node before 1.32': [true, true, false, true],
  'node-access': [false, true, false, true],
}
const RIGHTS = [
  ...new Map(
    CHECK_RIGHTS.flatMap(({asks}) => asks.map((right) => [`${rightText(right)}: ${right.holder}`, right] as const)),
  ),
]

describe('who may', () => {
  test.each(RIGHTS.filter(([, {resource}]) => resource !== 'pods'))('%s', (_, right) => {
    const seen = ['v1.31.14', 'v1.36.4'].flatMap((version) => [
      isAllowed(right, version, false),
      isAllowed(right, version, true),
    ])
    expect(seen).toEqual(EXPECTED[right.holder])
  })
})

describe('a node with the rights of a node only', () => {
  const UNSEEN = ['flannel-daemonset', 'host-process-daemonsets', 'linux-daemonsets']

  test('review U2-6: has no failure and no warning; what it may not is not checked, with the command', async () => {
    const copy = node.copy()
    const {check, document, notable} = await examine(copy, {profile: PROFILE})
    copy.discard()
    expect({exitCode: document.exitCode, problems: document.problems}).toEqual({exitCode: 0, problems: []})
    expect(Object.keys(notable)).toEqual(expect.arrayContaining(UNSEEN))
    expect(document).toMatchObject({recap: {warned: 0}, verdict: 'passed'})
    for (const id of UNSEEN as ('flannel-daemonset' | 'linux-daemonsets')[])
      expect(check(id).message).toContain('kubectl get daemonsets -A')
    expect((await statusOn(node.dir, {profile: PROFILE})).document).toMatchObject({
      exitCode: 0,
      problems: [],
      verdict: 'healthy',
      warnings: [],
    })
  })

  test('without node-access has one failure: its daemons, with the one command', async () => {
    const copy = node.copy()
    copy.edit(withoutNodeAccess)
    const machine = await openSimulator({dir: copy.dir, profile: PROFILE, readOnly: true})
    const config = setupConfig({release: '1.36.4'})
    const facts = new Facts(config, openHost(machine, hostOptions(assets, config)), {
      all: () => [],
      entries: () => [],
    })
    const clusterChecks = CHECKS.filter(({id}) => CHECK_RIGHTS.some(({ids}) => ids.some((one) => one === id)))
    const checks = [...clusterChecks, ...NODE_CHECKS.filter(({id}) => id === 'peers')]
    const {problems, results} = await runChecks(facts, {checks, signal: new AbortController().signal})
    copy.discard()
    expect(new Set(problems.map(({id}) => id))).toEqual(new Set(['NODE_ACCESS_MISSING']))
    expect(results.filter(({result}) => result === 'fail').map(({id}) => id)).toEqual(['permissions'])
    const byId = new Map(results.map((result) => [String(result.id), result]))
    expect(byId.get('pod-network')).toMatchObject({result: 'pass'})
    expect(byId.get('peers')).toMatchObject({result: 'not-checked'})
    expect(byId.get('peers')?.message).toContain('k8s-win manifest node-access | kubectl apply -f -')
    expect(byId.get('flannel-config')).toMatchObject({result: 'warn'})
    expect(byId.get('flannel-config')?.fix).toContain('k8s-win manifest node-access | kubectl apply -f -')
  })
})
