// The own containerd of a node is broken beyond repair: reset --purge ends it and removes the rest without it.
import {win32} from 'node:path'
import {expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import type {HostFolder} from '../steps/host-folder.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const PROGRAMS = String.raw`C:\k\containerd\bin`
const SNAPSHOTS = String.raw`C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots`

/** No programs, no kept downloads, no cluster. */
function broken(): HostFolder {
  const host = copy()
  for (const name of ['containerd.exe', 'crictl.exe', 'ctr.exe']) host.remove(win32.join(PROGRAMS.slice(3), name))
  host.remove(String.raw`k\downloads`)
  for (const name of ['1', '2']) host.makeFolder(win32.join(SNAPSHOTS.slice(3), name))
  host.edit(({cluster}) => (cluster.reachable = false))
  return host
}

/** `refused`: by Windows. */
const offline =
  (seen: string[] = [], refused?: string) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      if (what.endsWith('DOWNLOAD'))
        throw new HttpError('https://github.com/', 'ENOTFOUND', 'getaddrinfo ENOTFOUND github.com')
      if (what === 'destroyLayer' || what === 'endProgram') seen.push(`${what} ${args.join(' ')}`)
      if (what === refused) throw new Win32Error(what, 5, 'it')
      return perform()
    })

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
