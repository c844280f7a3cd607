// The list that listr2 runs, and what its renderer reports.
import {describe, expect, it} from 'vitest'
import {EventBus, type RunEvent, type StepResult} from '../../../src/pipeline/run/events.js'
import {type ListedTask, reportResults, runList} from '../../../src/pipeline/run/task-list.js'

const done = (id: StepResult['id'], state: StepResult['state'] = 'changed'): StepResult => ({
  changes: [],
  durationMs: 0,
  id,
  state,
  title: `Provide ${id}`,
})
const task = (id: StepResult['id'], part: Partial<ListedTask> = {}): ListedTask => ({
  due: async () => undefined,
  id,
  run: async () => ({result: done(id)}),
  title: `Provide ${id}`,
  ...part,
})

function listening() {
  const bus = new EventBus(() => 0)
  const events: RunEvent[] = []
  bus.listen((event) => events.push(event))
  const reported = (): string[] =>
    events.map((event) => {
      if (event.type === 'step-started') return `+${event.id}`
      if (event.type === 'step-finished') return `-${event.step.id} ${event.step.state}`
      return event.type === 'progress' ? `${event.id}: ${event.text} ${event.current}` : event.type
    })
  return {bus, reported}
}

describe('what is reported', () => {
  it('a task starts when it is due, after the end of what made it due was reported', async () => {
    const {bus, reported} = listening()
    let release = (): void => {}
    const isDue = new Promise<undefined>((resolve) => (release = () => resolve(undefined)))
    const results = await runList(
      bus,
      [task('docker', {ended: () => release()}), task('net-conf', {due: () => isDue})],
      {
        concurrent: true,
      },
    )
    expect(reported()).toEqual(['+docker', '-docker changed', '+net-conf', '-net-conf changed'])
    expect(results.map(({id}) => id)).toEqual(['docker', 'net-conf'])
  })

  it('one after the other, each with its progress', async () => {
    const {bus, reported} = listening()
    const run: ListedTask['run'] = async (progress) => {
      progress({current: 1, text: '100% of %s'})
      return {result: done('docker')}
    }
    await runList(bus, [task('docker', {run}), task('net-conf')], {concurrent: false})
    expect(reported()).toEqual(['+docker', 'docker: 100% of %s 1', '-docker changed', '+net-conf', '-net-conf changed'])
  })

  it('a skipped task only ends, one that is not to run is not reported, a failure does not end the list', async () => {
    const {bus, reported} = listening()
    const tasks = [
      task('docker', {due: async () => done('docker', 'skipped')}),
      task('net-conf', {due: async () => done('net-conf', 'not-run')}),
      task('base-dir', {run: async () => ({error: new Error('no'), result: done('base-dir', 'failed')})}),
      task('cni-config'),
    ]
    const results = await runList(bus, tasks, {concurrent: false})
    const ends = ['-docker skipped', '+base-dir', '-base-dir failed', '+cni-config', '-cni-config changed']
    expect(reported()).toEqual(ends)
    expect(results.map(({state}) => state)).toEqual(['skipped', 'not-run', 'failed', 'changed'])
  })

  it('results that are known already, whatever they are', async () => {
    const {bus, reported} = listening()
    const states = ['would-change', 'failed', 'not-run', 'skipped', 'in-place'] as const
    await reportResults(
      bus,
      (['docker', 'net-conf', 'base-dir', 'cni-config', 'drain'] as const).map((id, index) => done(id, states[index])),
    )
    expect(reported().filter((line) => line.startsWith('-'))).toEqual([
      '-docker would-change',
      '-net-conf failed',
      '-base-dir not-run',
      '-cni-config skipped',
      '-drain in-place',
    ])
    expect(reported()).toHaveLength(10)
  })
})

it.each([
  {name: 'in a task', part: {run: () => Promise.reject(new TypeError('a bug'))}},
  {name: 'before a task', part: {due: () => Promise.reject(new TypeError('a bug'))}},
])('a bug $name ends the list', async ({part}) => {
  const {bus} = listening()
  await expect(runList(bus, [task('docker', part)], {concurrent: true})).rejects.toThrow('a bug')
})
