// The own containerd of a node is broken beyond repair: reset --purge ends it and removes the rest without it.
import {expect, test} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import type {HostFolder} from '../steps/host-folder.js'
import {brokenContainerd, offline, PROGRAMS, SNAPSHOTS} from './broken-containerd.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const made = setUpHost({}, undefined, CONTAINERD_PROFILE)
const {before} = made
const broken = (): HostFolder => brokenContainerd(made)

const errorsOf = ({result}: ResetEnd): (string | undefined)[] => result.errors?.map(({id}) => id) ?? []

test('review W3-3: a containerd that nothing can restore is ended, and its layers are removed without it', async () => {
  const host = broken()
  const seen: string[] = []
  const end = await resetOn(host.dir, {given: {purge: true}, wrap: offline(seen)})
  expect(errorsOf(end)).toEqual([])
  expect(end.result.exitCode).toBe(0)
  expect(seen).toEqual([
    String.raw`endProgram ${PROGRAMS}\containerd.exe`,
    String.raw`endProgram ${PROGRAMS}\containerd-shim-runhcs-v1.exe`,
    String.raw`destroyLayer ${SNAPSHOTS}\1`,
    String.raw`destroyLayer ${SNAPSHOTS}\2`,
  ])
  // The node stays in the cluster, which cannot be reached.
  const changed = differences(before(), wholeHost(host)).filter((line) => !line.startsWith('world > cluster > '))
  expect(changed).toEqual([])
})

test.each(['endProgram', 'destroyLayer'])(
  'review W3-3: where Windows refuses it (%s), it is 7 and a restart of Windows',
  async (refused) => {
    const host = broken()
    const end = await resetOn(host.dir, {given: {purge: true}, wrap: offline([], refused)})
    expect(end.result.exitCode).toBe(7)
    expect(new Set(errorsOf(end))).toEqual(new Set(['RESET_INCOMPLETE', 'CONTAINERD_KEPT']))
    expect(host.world.services['containerd']).toBeDefined()
    expect((await resetOn(host.dir, {given: {purge: true}, wrap: offline()})).result.exitCode).toBe(0)
  },
)

test('review W3-3: a process that denies access is named, and ends nothing', async () => {
  const host = broken()
  const denies = (machine: Machine): Machine => {
    const {win32} = machine
    const endProgram = async (path: string) => ({...(await win32.endProgram(path)), denied: [666]})
    return offline()({...machine, win32: {...win32, endProgram}})
  }
  const {result, warnings} = await resetOn(host.dir, {given: {purge: true}, wrap: denies})
  expect(result.exitCode).toBe(0)
  expect(warnings.join()).toContain('containerd.exe (PID 666)')
})

test('review W3-3: without --purge nothing is ended', async () => {
  const seen: string[] = []
  const end = await resetOn(broken().dir, {wrap: offline(seen)})
  expect(end.result.exitCode).toBe(7)
  expect(seen).toEqual([])
})

test('review W3-3: pods of a containerd that does not respond end with --yes only, where the cluster is gone', async () => {
  const host = broken()
  const seen: string[] = []
  const end = await resetOn(host.dir, {given: {purge: true, yes: false}, wrap: offline(seen)})
  expect(end.result).toMatchObject({error: {id: 'RESET_ENDS_PODS'}, exitCode: 2})
  expect(seen).toEqual([])
})
