// Unknown is never different: each answer of the cluster, of HNS, of the runtime, of the files and of Windows is taken away in
// turn, for a whole run on a healthy node. Nothing is removed, nothing is stopped and no service is changed, by no command. npm
// test takes a spread of the answers, npm run test:crash all.
import {beforeAll, describe, expect, test} from 'vitest'
import {MACHINE_ENVIRONMENT} from '../../src/host/environment.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {answerOf, refusalOf} from '../interruption/wrong-answers.js'
import {textOf} from '../interruption/mishaps.js'
import {sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {daemonsOn} from './daemons/daemons-on.js'
import {recoverOn} from './recover-on.js'
import {repairOn} from './watch/repair-on.js'

const SAMPLE = 16
const CONTAINERD_NODE = 'ws2022-containerd'
const PROFILES = ['ws2019', CONTAINERD_NODE] as const

/** The cluster is reached without it. */
const PROXIES = {HTTP_PROXY: 'http://proxy:3128', NO_PROXY: '10.0.0.0/8,localhost'}

type Wrap = (machine: Machine) => Machine
const COMMANDS: Readonly<Record<string, (host: HostFolder, wrap: Wrap) => Promise<unknown>>> = {
  recover: ({dir}, wrap) => recoverOn(dir, {wrap}),
  'recover --dry-run': ({dir}, wrap) => recoverOn(dir, {dryRun: true, wrap}),
  'a repair by the service': ({dir}, wrap) => repairOn(dir, {wrap}),
  setup: ({dir}, wrap) => setupOn(dir, {}, {wrap}),
  'setup --dry-run': ({dir}, wrap) => setupOn(dir, {}, {dryRun: true, wrap}),
  start: ({dir}, wrap) => daemonsOn(dir, 'start', {wrap}),
}
type Command = keyof typeof COMMANDS

/** Whose answer it is. A file that is not there is an answer; one that cannot be read is none. */
function sourceOf({args: [first = ''], kind, via, what}: Effect): string | undefined {
  if (kind !== 'read') return undefined
  if (via === 'files') return 'files'
  // What a daemon of this node does not answer on its own port is a finding about that daemon.
  if (via === 'http' && first.startsWith('http://127.0.0.1:')) return undefined
  if (via === 'http') return first.startsWith('https:') ? 'cluster' : 'runtime'
  if (via === 'run') return /(?:crictl|ctr)\.exe$/i.test(what) ? 'runtime' : undefined
  if (via !== 'win32') return undefined
  return what === 'hnsCall' ? 'HNS' : 'Windows'
}

const WAYS = ['refused', 'empty', 'rubbish'] as const
type Way = (typeof WAYS)[number]

/** Undefined where this answer cannot be taken away so. */
function absent(effect: Effect, way: Way): (() => unknown) | undefined {
  const refusal = refusalOf(effect)
  if (way === 'refused') {
    return (
      refusal &&
      (() => {
        throw refusal
      })
    )
  }
  // That there is no such file, service or value is an answer.
  if (['Windows', 'files'].includes(sourceOf(effect) ?? '')) return undefined
  return answerOf(effect, way === 'empty' ? 'wrong' : 'garbage')
}

/** Without what another run has in another place. */
const nameOf = (effect: Effect): string => textOf(effect).replace(/\d{4}-\d\d-\d\dT[\d-]+Z/g, '<time>')

const without =
  (name: string, way: Way): Wrap =>
  (machine) =>
    interceptMachine(machine, async (effect, perform) => {
      const answer = nameOf(effect) === name ? absent(effect, way) : undefined
      return answer ? (answer() as Awaited<ReturnType<typeof perform>>) : perform()
    })

interface Case {
  readonly command: Command
  readonly name: string
  readonly profile: string
  readonly source: string
  readonly way: Way
}

const isVersion = (name: string): boolean => /crictl\.exe.* version$/.test(name)

const made = new Map<string, HostFolder>()
const all: Case[] = []

beforeAll(async () => {
  for (const profile of PROFILES) {
    const host = await HostFolder.fresh((world) => {
      world.cluster.pods = [{name: 'web', namespace: 'default', node: 'win-1'}]
      const key = `HKLM\\${MACHINE_ENVIRONMENT}`
      const proxies = Object.entries(PROXIES).map(([name, data]) => [name, {data, type: 'REG_SZ'}] as const)
      world.registry[key] = {...world.registry[key], ...Object.fromEntries(proxies)}
    }, profile)
    expect((await setupOn(host.dir, {}, {}, profile)).result.exitCode).toBe(0)
    // The node keeps its name and its address, which are not those that a new node would choose here.
    host.edit(({adapters, os}) => {
      os.computerName = 'WIN-RENAMED'
      const own = adapters.find(({addresses}) => addresses.some(({address}) => address === '10.0.0.5'))
      if (own) Object.assign(own, {addresses: [{address: '10.0.0.4', prefixLength: 24}, ...own.addresses]})
    })
    // The kubelet starts the pod.
    expect((await setupOn(host.dir, {}, {}, profile)).result.exitCode).toBe(0)
    made.set(profile, host)
    for (const [command, run] of Object.entries(COMMANDS)) {
      const seen = new Map<string, Effect>()
      const record: Wrap = (machine) =>
        interceptMachine(machine, (effect, perform) => {
          seen.set(nameOf(effect), effect)
          return perform()
        })
      await run(host.copy(), record)
      for (const [name, effect] of seen) {
        const source = sourceOf(effect)
        if (source === undefined) continue
        for (const way of WAYS) if (absent(effect, way)) all.push({command, name, profile, source, way})
      }
    }
  }
}, 120_000)

const idsOf = (objects: readonly Record<string, unknown>[]): string[] => objects.map(({ID}) => String(ID))
const OWN = /^k\/(?:logs|k8s-win)\//

const thingsOf = ({paths, world: {hns, registry, services}}: HostFolder): string[] => [
  ...idsOf([...hns.networks, ...hns.endpoints, ...hns.policyLists]).map((id) => `HNS ${id}`),
  ...Object.entries(services).map(
    ([name, {config, processId, state}]) => `service ${name} ${state} ${processId} ${JSON.stringify(config)}`,
  ),
  ...Object.entries(registry).flatMap(([key, {Environment: its}]) =>
    its ? [`variables ${key} ${JSON.stringify(its.data)}`] : [],
  ),
  ...paths.filter((path) => !OWN.test(path)).map((path) => `file ${path}`),
]

async function expectKept({command, name, profile, way}: Case): Promise<void> {
  const host = made.get(profile)?.copy()
  const run = COMMANDS[command]
  if (!host || !run) throw new Error(`no host ${profile}`)
  const before = thingsOf(host)
  // A run that is refused has removed nothing either.
  await run(host, without(name, way)).catch(() => undefined)
  const after = new Set(thingsOf(host))
  expect(
    before.filter((thing) => !after.has(thing)),
    `${command} on ${profile}, ${way}: ${name}`,
  ).toEqual([])
}

describe('nothing is removed or stopped because an answer is missing', () => {
  test('there are many answers', () => {
    expect(all.length).toBeGreaterThan(1000)
    expect(new Set(all.map(({source}) => source))).toEqual(new Set(['HNS', 'Windows', 'cluster', 'files', 'runtime']))
  })

  test('that containerd responds is asked in three ways', () => {
    const asked = all.filter(({command, name}) => command === 'setup' && isVersion(name))
    expect(new Set(asked.map(({way}) => way))).toEqual(new Set(WAYS))
  })

  test.each(['HNS', 'Windows', 'cluster', 'files', 'runtime'])('of %s', async (source) => {
    const cases = all.filter((one) => one.source === source)
    // An answer about the own Node without its fields is always among them (review W3-0).
    const own = cases.filter(
      ({command, name, way}) => command === 'recover' && way === 'empty' && name.endsWith('/nodes/win-1'),
    )
    // So is a containerd that cannot be asked whether it responds.
    const asked = cases.filter(
      ({command, name, profile}) => command === 'setup' && profile === CONTAINERD_NODE && isVersion(name),
    )
    // And what the machine's proxies are.
    const proxies = cases.filter(({name, profile}) => profile === CONTAINERD_NODE && name.endsWith(' HTTP_PROXY'))
    for (const one of new Set([...own, ...asked, ...proxies, ...sample(cases, SAMPLE / 4)])) await expectKept(one)
  })
})
