// Every way in which a node breaks, for each container runtime: one recover ends as its row says, what was healthy keeps
// running, and a second one changes nothing.
import {describe, expect, test} from 'vitest'
import {DAEMONS} from '../../src/config/daemons.js'
import type {RuntimeName} from '../../src/config/model.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {BROKEN_NODES, type BrokenNode} from '../hosts/broken-nodes.js'
import {resetOn} from '../reset/reset-run.js'
import {isWhole} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {schemaErrors} from '../schemas.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {noteBeginning} from '../pipeline/ledger/note-in.js'
import {recoverOn} from './recover-on.js'

const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}

/** Of one daemon, in one run. */
const MOST_TRIES = 6

async function nodeWith(runtime: RuntimeName): Promise<HostFolder> {
  const host = HostFolder.empty()
  const {result} = await setupOn(host.dir, {}, {}, PROFILES[runtime])
  expect(result.error).toBeUndefined()
  return host
}

const processesOf = ({world}: HostFolder): Record<string, number | undefined> =>
  Object.fromEntries(DAEMONS.map(({service}) => [service, world.services[service]?.processId]))

const titleOf = ({id, name}: BrokenNode): string => (name === undefined ? id : `${id}: ${name}`)

/** npm test: the first row of each ID; npm run test:crash: all. */
const ROWS = BROKEN_NODES.filter(({id}, index) => isWhole || BROKEN_NODES.findIndex((one) => one.id === id) === index)

/** Of programs and images; the cluster and the daemons have addresses. */
const isDownload = ({args, via, what}: Effect): boolean =>
  (via === 'http' && /^https:\/\/(?!(?:\d+\.){3}\d+)/.test(String(args[0]))) ||
  [what, ...args].some((word) => /^pull$|images\/create/.test(word))

/** Each ID, with its runtimes in turn. */
const CASES = ROWS.flatMap((row, nth) =>
  row.runtimes.flatMap((runtime, at) =>
    isWhole || at === nth % row.runtimes.length ? [{row, runtime, title: titleOf(row)}] : [],
  ),
)

describe.each(CASES)('$title, with $runtime', ({row, runtime}) => {
  test('recover', async () => {
    const host = await nodeWith(runtime)
    await row.break(host)
    const before = processesOf(host)
    const begun = Object.fromEntries(DAEMONS.map(({service}) => [service, host.world.services[service]?.startedAt]))
    const lines = host.transcript.length
    const downloads: string[] = []
    const watch = (effect: Effect): void =>
      void (isDownload(effect) && downloads.push([effect.what, ...effect.args].join(' ')))
    const {result} = await recoverOn(host.dir, {before: watch, yes: row.yes ?? false})
    expect(downloads).toEqual([])
    const starts = host.transcript.slice(lines).filter(({what}) => what === 'startService')
    for (const {service} of DAEMONS) {
      const tries = starts.filter(({args}) => JSON.stringify(args).includes(`"${service}"`)).length
      expect(tries, service).toBeLessThanOrEqual(MOST_TRIES)
    }
    if (row.restarts.length > 0) expect(starts).not.toEqual([])
    const errors = (result.errors ?? (result.error ? [result.error] : [])).map(({id}) => id)
    expect(errors, JSON.stringify(result.error)).toEqual(row.ends === 'healthy' ? [] : row.ends)
    expect(result.exitCode).toBe(row.ends === 'healthy' ? 0 : 6)
    const after = processesOf(host)
    const kept = DAEMONS.map(({service}) => service).filter((name) => !row.restarts.includes(name))
    expect(pick(after, kept)).toEqual(pick(before, kept))
    for (const name of row.restarts) {
      const {startedAt, state} = host.world.services[name] ?? {}
      expect([name, state, startedAt === begun[name]]).toEqual([name, 'running', false])
    }
    if (row.ends === 'healthy') {
      const {document} = await statusOn(host.dir, {profile: PROFILES[runtime]})
      expect({problems: document.problems, verdict: document.verdict}).toEqual({problems: [], verdict: 'healthy'})
    }
    const {result: second} = await recoverOn(host.dir, {yes: row.yes ?? false})
    expect(second.recap.changed).toBe(0)
    expect(second.exitCode).toBe(result.exitCode)
    expect(processesOf(host)).toEqual(after)
  })
})

const pick = (all: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, all[name]]))

test('a healthy node: nothing changes', async () => {
  const host = await nodeWith('docker')
  const before = host.state
  const {result} = await recoverOn(host.dir)
  expect(result).toMatchObject({command: 'recover', exitCode: 0, outcome: 'done', recap: {changed: 0, failed: 0}})
  expect(host.state).toEqual(before)
})

test('without a node: 9', async () => {
  const host = await HostFolder.fresh()
  const {result} = await recoverOn(host.dir)
  expect(result).toMatchObject({error: {id: 'NO_NODE'}, exitCode: 9})
})

test('its log is among what reset --purge removes', async () => {
  const host = await nodeWith('docker')
  expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
  const {result} = await resetOn(host.dir, {given: {purge: true}})
  expect(result.exitCode).toBe(0)
  expect(host.list('k')).toEqual(['kubeconfig'])
})

test('an altered program whose download is gone is downloaded again, and nothing else is', async () => {
  const host = await nodeWith('docker')
  host.put(String.raw`k\flanneld.exe`, 'MZ another program')
  host.remove(String.raw`k\downloads`)
  const downloads: string[] = []
  const before = (effect: Effect): void => void (isDownload(effect) && downloads.push(String(effect.args[0])))
  expect((await recoverOn(host.dir, {before})).result.exitCode).toBe(0)
  expect(downloads.filter((url) => !url.includes('flannel'))).toEqual([])
  expect(downloads).not.toEqual([])
})

describe('an unfinished run is named with what continues it, and its record stays', () => {
  const RESULT = String.raw`k\k8s-win\result.json`

  test('setup', async () => {
    const host = await nodeWith('docker')
    noteBeginning(host, 'setup')
    host.remove(String.raw`k\k8s-win\node.yaml`)
    host.put(RESULT, JSON.stringify({...(JSON.parse(host.read(RESULT)) as object), exitCode: 6}))
    const before = host.read(RESULT)
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({error: {command: 'k8s-win setup', id: 'SETUP_UNFINISHED'}, exitCode: 3, steps: []})
    expect(host.read(RESULT)).toBe(before)
  })

  test('reset', async () => {
    const host = await nodeWith('docker')
    noteBeginning(host, 'reset')
    const before = host.read(RESULT)
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({error: {command: 'k8s-win reset', id: 'RESET_UNFINISHED'}, exitCode: 3, steps: []})
    expect(host.read(RESULT)).toBe(before)
  })

  test('upgrade', async () => {
    const host = await nodeWith('containerd')
    // Killed when the node was drained, and nothing was installed yet.
    const begun = new Error('killed')
    const wrap = (machine: Machine): Machine =>
      interceptMachine(machine, async ({args, what}, perform) => {
        if (what === 'stopService' && args[0] === 'kubeproxy') throw begun
        return perform()
      })
    await setupOn(host.dir, {release: '1.35.8'}, {upgrade: {drainMs: 60_000}, wrap}).catch(() => undefined)
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({error: {id: 'UPGRADE_UNFINISHED'}, exitCode: 3, steps: []})
  })
})

test('the records of a recover: its result, and what status says of the steps that setup skipped', async () => {
  const host = HostFolder.empty()
  await setupOn(host.dir, {skip: 'firewall-rules'}, {}, PROFILES.docker)
  const {result} = await recoverOn(host.dir)
  expect(result).toMatchObject({command: 'recover', exitCode: 0, node: {name: 'win-1', ready: true}})
  expect(schemaErrors('result', result)).toEqual([])
  expect(result.steps.find(({id}) => id === 'firewall-rules')?.state).toBe('skipped')
  const {document} = await statusOn(host.dir)
  expect(document.drift?.find(({step}) => step === 'firewall-rules')?.state).toBe('skipped')
})
