// Pods that no DaemonSet creates end only where somebody agreed to it.
import {expect, test} from 'vitest'
import type {GivenReset} from '../../src/config/options/reset-options.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Answer, Asker} from '../../src/runs/reset/reset-run.js'
import type {ClusterPod} from '../../src/simulator/cluster/state.js'
import {setupOn} from '../setup/in-process.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const PLAIN: GivenReset = {yes: false}
const REFUSED = {error: {id: 'RESET_ENDS_PODS'}, exitCode: 2, steps: []}

const piped = (answer: Answer): Asker => ({ask: () => Promise.resolve(answer), isTerminal: false})

/** As the cluster describes the pods that run here. */
const withPods = (part: Partial<ClusterPod>): HostFolder => {
  const host = copy()
  host.edit(({cluster}) => (cluster.pods = (cluster.pods ?? []).map((pod) => ({...pod, ...part}))))
  return host
}

test('review P3-2: without a terminal, pods end only with --yes or --drain: exit 2, the pods named, nothing changed', async () => {
  const host = copy()
  const at = wholeHost(host)
  for (const asker of [undefined, piped('none')]) {
    const {result} = await resetOn(host.dir, {given: PLAIN, ...(asker && {asker})})
    expect(result).toMatchObject(REFUSED)
    expect(result.error?.cause).toContain('web/one, web/two')
    expect(result.error?.fix).toMatch(/--drain.*--yes/)
  }

  expect(differences(at, wholeHost(host))).toEqual([])
})

test.each([
  ['--yes', {given: {yes: true}}],
  ['--drain', {given: {...PLAIN, drain: true}}],
  ['a piped yes', {asker: piped('yes'), given: PLAIN}],
])('review P3-2: %s is enough', async (_, setting) => {
  expect((await resetOn(copy().dir, setting)).result).toMatchObject({exitCode: 0, recap: {failed: 0}})
})

test.each([
  ['of a DaemonSet', {owner: {kind: 'DaemonSet', name: 'agent'}}],
  ['static', {annotations: {'kubernetes.io/config.mirror': 'x'}}],
  ['finished', {phase: 'Succeeded'}],
])('review P3-2: pods that are %s need no consent', async (_, part) => {
  expect((await resetOn(withPods(part as Partial<ClusterPod>).dir, {given: PLAIN})).result).toMatchObject({exitCode: 0})
})

test('review P3-2: pods that the cluster does not know count, and --drain does not help them', async () => {
  const host = copy()
  host.edit(({cluster}) => (cluster.pods = []))
  for (const given of [PLAIN, {...PLAIN, drain: true}]) {
    const {result} = await resetOn(host.dir, {given})
    expect(result).toMatchObject(REFUSED)
    expect(result.error?.cause).toContain('web/one, web/two')
    expect(result.error?.fix).not.toContain('--drain')
  }
})

test('review P3-2: with the cluster gone only --yes helps', async () => {
  const host = withPods({owner: {kind: 'DaemonSet', name: 'agent'}})
  host.edit(({cluster}) => (cluster.reachable = false))
  const {result} = await resetOn(host.dir, {given: PLAIN})
  expect(result).toMatchObject(REFUSED)
  expect(result.error?.fix).not.toContain('--drain')
  const drained = (await resetOn(host.dir, {given: {...PLAIN, drain: true}})).result
  expect(drained).toMatchObject({error: {id: 'API_SERVER_UNREACHABLE'}, exitCode: 3})
  expect((await resetOn(host.dir, {given: {yes: true}})).result.exitCode).toBe(0)
})

test('review P3-2: a reset that began needs no consent again, until a setup', async () => {
  const host = copy()
  const killed = resetOn(host.dir, {
    wrap: (machine) =>
      interceptMachine(machine, (effect, perform) =>
        effect.args.join(' ').includes(' rmp ') ? Promise.reject(new Error('killed')) : perform(),
      ),
  })
  await expect(killed).rejects.toThrow('killed')
  const resumed = host.copy()
  expect((await resetOn(resumed.dir, {given: PLAIN})).result.exitCode).toBe(0)
  resumed.discard()
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  expect((await resetOn(host.dir, {given: PLAIN})).result).toMatchObject(REFUSED)
})

test('review P3-2: a drain that failed has not begun anything', async () => {
  const host = copy()
  host.edit(({cluster}) => (cluster.permissions = ['get nodes', 'list nodes', 'list pods']))
  expect((await resetOn(host.dir, {given: {...PLAIN, drain: true}})).result.exitCode).toBe(3)
  expect((await resetOn(host.dir, {given: PLAIN})).result).toMatchObject(REFUSED)
})
