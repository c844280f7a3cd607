// reset of a node with containerd where something is in the way: what is needed to remove the rest stays, and the next
// reset finishes.
import {describe, expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import {DeadlineError} from '../../src/machine/clock.js'
import {FileError} from '../../src/machine/files.js'
import {HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {Win32Error} from '../../src/machine/win32.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {faultyMachine} from '../fakes/faulty.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {sample} from '../sample.js'
import {HostFolder} from '../steps/host-folder.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const PURGE = {given: {purge: true}} as const
const CONFLIST = String.raw`k\cni\config\10-flannel.conflist`
const DATA = String.raw`C:\ProgramData\containerd`

const states = ({result}: ResetEnd): Record<string, string> =>
  Object.fromEntries(result.steps.map(({id, state}) => [id, state]))
const errorsOf = ({result}: ResetEnd): (string | undefined)[] => result.errors?.map(({id}) => id) ?? []

/** `args`: how the call begins, its subject first. */
const failing =
  (what: string, args: string, error: Error) =>
  (machine: Machine): Machine =>
    faultyMachine(machine, [
      {
        at: (effect) => effect.what.endsWith(what) && effect.args.join(' ').includes(args),
        does: error,
        when: 'before',
      },
    ])

/** As the warning says. */
async function deleteContainerd(host: HostFolder): Promise<void> {
  const {clock, win32} = await openSimulator({dir: host.dir, profile: CONTAINERD_PROFILE})
  await win32.stopService('containerd')
  await clock.sleep(10_000)
  await win32.deleteService('containerd')
}

async function finishes(host: HostFolder): Promise<void> {
  expect((await resetOn(host.dir, PURGE)).result.errors).toBeUndefined()
  expect(differences(before(), wholeHost(host))).toEqual([])
}

describe('pods that cannot be removed keep containerd and its network, and are removed the next time', () => {
  test.each(
    sample(
      [
        ['containerd does not answer', 'CONTAINERD_FAILED', 'crictl.exe', 'pods', new DeadlineError(120_000)],
        ['a sandbox stays', 'CONTAINERD_FAILED', 'crictl.exe', 'rmp', new DeadlineError(600_000)],
      ],
      4,
    ),
  )('%s', async (_, id, program, args, error) => {
    const host = copy()
    const end = await resetOn(host.dir, {...PURGE, wrap: failing(program, args, error)})
    expect(end.result).toMatchObject({error: {id: 'RESET_INCOMPLETE'}, exitCode: 7, outcome: 'failed'})
    expect(errorsOf(end)).toEqual(['RESET_INCOMPLETE', id])
    expect(states(end)).toMatchObject({
      'base-images': 'not-run',
      'cni-binaries': 'not-run',
      'cni-config': 'not-run',
      'containerd-service': 'not-run',
      containers: 'failed',
      daemons: 'changed',
      'firewall-rules': 'not-run',
      'machine-environment': 'changed',
      records: 'not-run',
      runtime: 'not-run',
    })
    expect(end.warnings.join()).toContain('sc.exe delete containerd')
    expect(host.world.services.containerd?.state).toBe('running')
    expect(host.has(CONFLIST)).toBe(true)
    await finishes(host)
  })

  test('a program that cannot be brought back is named, and without the service reset finishes', async () => {
    const host = copy()
    host.remove(String.raw`k\containerd\bin\crictl.exe`)
    host.remove(String.raw`k\downloads`)
    const offline = new HttpError('https://github.com/', 'ENOTFOUND', 'getaddrinfo ENOTFOUND github.com')
    const wrap = failing('DOWNLOAD', '', offline)
    const end = await resetOn(host.dir, {wrap})
    expect(errorsOf(end)).toEqual(['RESET_INCOMPLETE', 'CONTAINERD_ABSENT'])
    expect(end.result.errors?.[1]?.message).toContain('crictl.exe')
    expect(end.told).toContain('cannot be restored')
    expect(host.world.services.containerd?.state).toBe('running')
    await deleteContainerd(host)
    await finishes(host)
  })
})

describe('a daemon', () => {
  test('containerd that does not stop keeps its configuration and the folder that it watches', async () => {
    const host = copy()
    const wrap = failing('stopService', 'containerd', new Win32Error('ControlService', 1052, 'containerd'))
    const end = await resetOn(host.dir, {...PURGE, wrap})
    expect(end.result.exitCode).toBe(7)
    expect(errorsOf(end)).toContain('SERVICE_WILL_NOT_STOP')
    expect(states(end)).toMatchObject({'cni-config': 'not-run', 'containerd-config': 'not-run', runtime: 'failed'})
    expect(host.world.containerd.running).toBe(true)
    expect(host.world.containerd.sandboxes).toEqual([])
    await finishes(host)
  })

  test('a kubelet that does not stop keeps its pods and containerd', async () => {
    const host = copy()
    const wrap = failing('stopService', 'kubelet', new Win32Error('ControlService', 1052, 'kubelet'))
    const end = await resetOn(host.dir, {...PURGE, wrap})
    expect(states(end)).toMatchObject({containers: 'not-run', daemons: 'failed', runtime: 'not-run'})
    expect(host.world.containerd).toMatchObject({running: true})
    expect(host.world.containerd.sandboxes).toHaveLength(2)
    await finishes(host)
  })

  test('a service that cannot be deleted is found by the next reset, when containerd is stopped already', async () => {
    const host = copy()
    const wrap = failing('deleteService', 'kubelet', new Win32Error('DeleteService', 5, 'kubelet'))
    expect((await resetOn(host.dir, {...PURGE, wrap})).result.exitCode).toBe(7)
    await finishes(host)
  })

  test('containerd that is no longer a service keeps nothing', async () => {
    const host = copy()
    await deleteContainerd(host)
    const {result, warnings} = await resetOn(host.dir, PURGE)
    expect(result.exitCode).toBe(0)
    expect(warnings).toEqual([expect.stringContaining('containerd is no longer installed on this host')])
    expect(differences(before(), wholeHost(host))).toEqual([])
  })
})

test('a locked snapshot is named, and goes the next time', async () => {
  const host = copy()
  const snapshot = String.raw`${DATA}\root\io.containerd.snapshotter.v1.windows\snapshots\7`
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async ({args, what}, perform) => {
      if (what === 'remove' && args[0] === DATA) throw new FileError('remove', snapshot, 'EBUSY')
      return perform()
    })
  const end = await resetOn(host.dir, {...PURGE, wrap})
  expect(end.result.exitCode).toBe(7)
  expect(end.result.errors?.[1]?.message).toContain(snapshot)
  expect(end.warnings).toEqual([])
  expect(states(end)).toMatchObject({'containerd-binaries': 'changed', 'containerd-service': 'failed'})
  await finishes(host)
})

describe('a setup that went no further than', () => {
  const HALF: readonly (readonly [string, string, string])[] = [
    ['the configuration of containerd', 'write', 'config.toml'],
    ['the service of containerd', 'createService', 'containerd'],
    ['the start of containerd', 'startService', 'containerd'],
    ['the first image', 'crictl.exe', 'pull'],
    ['a tag', 'ctr.exe', 'images tag'],
    ['the CNI configuration', 'write', 'conflist'],
  ]
  test.each(sample(HALF, 2))('%s is removed, as its plan says', async (_, what, args) => {
    const host = await HostFolder.fresh(allowEverything, CONTAINERD_PROFILE)
    const fresh = wholeHost(host)
    const {result} = await setupOn(host.dir, {}, {wrap: failing(what, args, new Win32Error(what, 5, 'it'))})
    expect(result.exitCode).not.toBe(0)
    const plan = await resetOn(host.dir, {given: {'dry-run': true, purge: true}})
    const deed = await resetOn(host.dir, PURGE)
    expect(deed.result.errors).toBeUndefined()
    expect(deed.warnings).toEqual([])
    expect(differences(fresh, wholeHost(host))).toEqual([])
    const shown = ({result: {steps}}: ResetEnd): string[] =>
      steps.map(({id, state}) => `${id}: ${state.replace('would-change', 'changed')}`)
    expect(shown(plan)).toEqual(shown(deed))
  })
})
