// Removals: in order, what fails is reported and the rest continues, unless it is vital or a user stops it.
import {describe, expect, it} from 'vitest'
import {SERVED} from '../../../src/config/daemons.js'
import {placesOf} from '../../../src/config/places.js'
import {fileRefused} from '../../../src/errors/windows.js'
import {EventBus, type RunEvent} from '../../../src/pipeline/run/events.js'
import {InterruptedError} from '../../../src/pipeline/run/to-user-error.js'
import {type Job, runRemovals, type RemovalsRun} from '../../../src/pipeline/run/run-removals.js'
import {REMOVALS, STEPS} from '../../../src/steps/index.js'
import {handClock} from '../../fakes/hand-clock.js'
import {states, turn} from './pipeline-rig.js'
import {KINDS} from '../../../src/pipeline/owned/kinds.js'

const refusal = fileRefused({code: 'EBUSY', operation: 'remove', path: 'C:\\x'})
const job = (id: Job['id'], part: Partial<Job> = {}): Job => ({
  deadlineMs: 60_000,
  id,
  title: `Remove ${id}`,
  work: async ({changed}) => {
    changed(`remove ${id}`)
  },
  ...part,
})
const failing = {work: () => Promise.reject(refusal)}

function start(jobs: readonly Job[]) {
  const clock = handClock(1000)
  const events: RunEvent[] = []
  const bus = new EventBus(() => clock.now())
  bus.listen((event) => events.push(event))
  const abort = new AbortController()
  const context = {} as RemovalsRun['context']
  return {abort, clock, events, outcome: runRemovals({bus, clock, context, jobs, signal: abort.signal})}
}

describe('jobs', () => {
  it('are done one after the other, and say whether they changed something', async () => {
    const {events, outcome} = start([job('daemons'), job('containers', {work: async () => {}})])
    const {failures, results} = await outcome
    expect(failures).toEqual([])
    expect(results).toMatchObject([
      {changes: ['remove daemons'], id: 'daemons', state: 'changed', title: 'Remove daemons'},
      {changes: [], id: 'containers', state: 'in-place'},
    ])
    expect(events.map(({type}) => type)).toEqual(['step-started', 'step-finished', 'step-started', 'step-finished'])
  })

  it('that fail do not keep the others from being done', async () => {
    const {outcome} = start([job('net-conf', failing), job('base-dir')])
    const {failures, results} = await outcome
    expect(failures).toMatchObject([{error: {id: 'FILE_REFUSED'}, id: 'net-conf', isVital: false}])
    expect(states(results)).toEqual({'base-dir': 'changed', 'net-conf': 'failed'})
    expect(results[0]?.error).toMatchObject({id: 'FILE_REFUSED'})
  })

  it('that are vital end the run where they fail', async () => {
    const {outcome} = start([job('drain', {...failing, isVital: true}), job('daemons')])
    const {failures, results} = await outcome
    expect(failures).toMatchObject([{id: 'drain', isVital: true}])
    expect(states(results)).toEqual({daemons: 'not-run', drain: 'failed'})
  })

  it('are asked before their turn whether they are to be done, and get what failed', async () => {
    const seen: unknown[] = []
    const {events, outcome} = start([
      job('net-conf', failing),
      job('node-registered', {left: () => 'skipped'}),
      job('records', {left: (failed) => (seen.push(failed), 'not-run')}),
    ])
    const {results} = await outcome
    expect(states(results)).toEqual({'net-conf': 'failed', 'node-registered': 'skipped', records: 'not-run'})
    expect(seen).toEqual([['net-conf']])
    expect(events.filter(({type}) => type === 'step-finished')).toHaveLength(2)
  })

  it('after an interruption are not done', async () => {
    const {abort, outcome} = start([
      job('daemons', {
        work: async ({signal}) => {
          await turn()
          abort.abort(new InterruptedError())
          signal.throwIfAborted()
        },
      }),
      job('containers'),
    ])
    const {failures, results} = await outcome
    expect(states(results)).toEqual({containers: 'not-run', daemons: 'not-run'})
    expect(failures).toMatchObject([{error: {id: 'INTERRUPTED'}}])
  })

  it('that are bugs are reported as such', async () => {
    const bug = new TypeError('x is undefined')
    const {outcome} = start([job('daemons', {work: (): Promise<void> => Promise.reject(bug)})])
    const {failures, results} = await outcome
    expect(failures[0]?.error).toBe(bug)
    expect(results[0]?.error).toMatchObject({id: 'BUG'})
  })
})

describe('the list of removals', () => {
  it('has every step that leaves something, once', () => {
    const removed = new Set([
      ...Object.values(KINDS).flatMap(({remove, steps = []}) => (remove ? steps : [])),
      // Files and folders, and the services, have their steps in the tables.
      ...placesOf('C:').flatMap(({steps = []}) => steps),
      ...SERVED.map(({step}) => step),
    ])
    const leaving = STEPS.filter(({id, leaves}) => removed.has(id) || leaves).map(({id}) => id)
    expect(REMOVALS.map(({id}) => id).sort()).toEqual(leaving.sort())
  })

  it('goes from the last step to the first, the watch, the node and the networks before all', () => {
    const [watch, node, overlay, external, ...rest] = REMOVALS.map((step) => STEPS.indexOf(step))
    expect([watch, node, overlay, external].map((index) => STEPS[index ?? -1]?.id)).toEqual([
      'watch-service',
      'node-registered',
      'overlay-network',
      'external-network',
    ])
    expect(rest).toEqual([...rest].sort((a, b) => b - a))
  })

  it('has a title of its own for each', () => {
    const titles = REMOVALS.map(({removal}) => removal)
    expect(new Set(titles).size).toBe(titles.length)
    for (const {removal, title} of REMOVALS) expect(removal).not.toBe(title)
  })
})
