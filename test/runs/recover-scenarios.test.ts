// Every way in which a node breaks, for each container runtime: one recover ends as its row says, what was healthy keeps
// running, and a second one changes nothing.
import {describe, expect, test} from 'vitest'
import {DAEMONS} from '../../src/config/daemons.js'
import type {RuntimeName} from '../../src/config/model.js'
import {BROKEN_NODES, type BrokenNode} from '../hosts/broken-nodes.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {lookAt} from '../status/look.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}

async function nodeWith(runtime: RuntimeName): Promise<HostFolder> {
  const host = HostFolder.empty()
  const {result} = await setupOn(host.dir, {}, {}, PROFILES[runtime])
  expect(result.error).toBeUndefined()
  return host
}

const processesOf = ({world}: HostFolder): Record<string, number | undefined> =>
  Object.fromEntries(DAEMONS.map(({service}) => [service, world.services[service]?.processId]))

const titleOf = ({id, name}: BrokenNode): string => (name === undefined ? id : `${id}: ${name}`)

describe.each(BROKEN_NODES.flatMap((row) => row.runtimes.map((runtime) => ({row, runtime, title: titleOf(row)}))))(
  '$title, with $runtime',
  ({row, runtime}) => {
    test('recover', async () => {
      const host = await nodeWith(runtime)
      await row.break(host)
      const before = processesOf(host)
      const begun = Object.fromEntries(DAEMONS.map(({service}) => [service, host.world.services[service]?.startedAt]))
      const {result} = await recoverOn(host.dir, {yes: row.yes ?? false})
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
        const {document} = await lookAt(host.dir, {profile: PROFILES[runtime]})
        expect({problems: document.problems, verdict: document.verdict}).toEqual({problems: [], verdict: 'healthy'})
      }
      const {result: second} = await recoverOn(host.dir, {yes: row.yes ?? false})
      expect(second.recap.changed).toBe(0)
      expect(second.exitCode).toBe(result.exitCode)
      expect(processesOf(host)).toEqual(after)
    })
  },
)

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
