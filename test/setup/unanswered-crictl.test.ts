// A crictl that shows nothing about containerd: a dry run plans what the run then does, which is no restart of containerd.
import {beforeAll, describe, expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {DeadlineError} from '../../src/machine/clock.js'
import {ProgramNotStartedError} from '../../src/machine/run.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {nodeWithPod} from '../fixtures/node-with-pod.js'
import {recoverOn} from '../runs/recover-on.js'
import type {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

let node: HostFolder
beforeAll(async () => {
  node = await nodeWithPod()
})

type Answer = (program: string) => unknown
const ended = (exitCode: number, stdout: string, stderr = ''): Answer => {
  return () => ({durationMs: 1, exitCode, stderr, stdout})
}
const VERSION = /crictl\.exe.* version$/
/** What shows nothing about containerd. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'cannot be started': (program) => {
    throw new ProgramNotStartedError(program, 'EACCES')
  },
  'fails with other words': ended(1, '', 'rubbish'),
  'prints what makes no sense': ended(0, 'rubbish'),
  'prints nothing': ended(0, ''),
}

const answering =
  (which: RegExp, answer: Answer) =>
  (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) =>
      effect.via === 'run' && effect.kind === 'read' && which.test([effect.what, ...effect.args.flat()].join(' '))
        ? (answer(effect.what) as Awaited<ReturnType<typeof perform>>)
        : perform(),
    )

const RUNS = {
  recover: async (host: HostFolder, dryRun: boolean, wrap: (machine: Machine) => Machine) =>
    recoverOn(host.dir, {dryRun, wrap}),
  setup: async (host: HostFolder, dryRun: boolean, wrap: (machine: Machine) => Machine) =>
    setupOn(host.dir, {}, {dryRun, wrap}),
} as const
const PLANNED = {changed: 'changed', 'would-change': 'changed'} as const
/** How containerd's step ended, and the run. */
const endOf = ({error, exitCode, steps}: RunResultDocument): unknown => {
  const {state = 'absent'} = steps.find(({id}) => id === 'containerd-service') ?? {}
  return {exitCode, id: error?.id, state: PLANNED[state as keyof typeof PLANNED] ?? state}
}
const containerdOf = ({world}: HostFolder): unknown => world.services['containerd']?.processId
const endsPods = ({steps}: RunResultDocument): boolean =>
  steps.some(({changes}) => changes.some((change) => change.startsWith('end what runs in containerd')))

describe.each(['setup', 'recover'] as const)('review W3-0: %s where crictl', (command) => {
  test.each(Object.entries(ANSWERS))('%s, asked for the version', async (_, answer) => {
    const wrap = answering(VERSION, answer)
    const host = node.copy()
    const {result: plan} = await RUNS[command](host, true, wrap)
    const {result: deed} = await RUNS[command](host, false, wrap)
    expect(endOf(plan)).toEqual(endOf(deed))
    expect(deed.error?.id).toBe('CONTAINERD_FAILED')
    expect(endsPods(plan)).toBe(false)
    expect(containerdOf(host)).toBe(containerdOf(node))
  })

  test.each([...Object.entries(ANSWERS)])('%s, asked for the images', async (_, answer) => {
    const wrap = answering(/crictl\.exe.* images /, answer)
    const {events, result} = await RUNS[command](node.copy(), true, wrap)
    expect(endOf(result)).toEqual({exitCode: 0, id: undefined, state: 'in-place'})
    const warned = events.filter((event) => event.type === 'log' && event.level === 'warn')
    expect(JSON.stringify(warned)).toContain('its images are not known')
  })
})

test('review W3-0: a crictl.exe that is gone is brought back, and containerd is then asked', async () => {
  const host = node.copy()
  host.remove(String.raw`k\containerd\bin\crictl.exe`)
  const plan = (await setupOn(host.dir, {}, {dryRun: true})).result
  const deed = (await setupOn(host.dir)).result
  expect([plan, deed].map(endOf)).toEqual([0, 0].map((exitCode) => ({exitCode, id: undefined, state: 'in-place'})))
  expect([plan, deed].map(endsPods)).toEqual([false, false])
  expect(containerdOf(host)).toBe(containerdOf(node))
})

test('review W3-0: a crictl.exe that was replaced fails until the plan has replaced it', async () => {
  const host = node.copy()
  host.put(String.raw`k\containerd\bin\crictl.exe`, 'MZ')
  const plan = (await setupOn(host.dir, {}, {dryRun: true})).result
  expect(endOf(plan)).toEqual({exitCode: 0, id: undefined, state: 'in-place'})
})

test('a containerd that does not answer crictl is restarted, in the plan and in the run', async () => {
  const hang = answering(VERSION, () => {
    throw new DeadlineError(10_000)
  })
  const {result: plan} = await setupOn(node.copy().dir, {}, {dryRun: true, wrap: hang})
  expect(endOf(plan)).toMatchObject({state: 'changed'})
  expect(endsPods(plan)).toBe(true)
  const {result: deed} = await setupOn(node.copy().dir, {}, {wrap: hang})
  expect(endsPods(deed)).toBe(true)
})

test('where ctr cannot be run, the plan is that of the run', async () => {
  const wrap = answering(/ctr\.exe$|\\ctr\.exe /, ANSWERS['cannot be started']!)
  for (const dryRun of [true, false]) {
    const {result} = await setupOn(node.copy().dir, {}, {dryRun, wrap})
    expect(endOf(result)).toEqual({exitCode: 0, id: undefined, state: 'in-place'})
  }
})
