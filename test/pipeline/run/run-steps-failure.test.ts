// An end for every way a run can fail: what is done stays done, what waits is not begun.
import {describe, expect, it} from 'vitest'
import {nodeNotReady} from '../../../src/errors/health.js'
import {FileError} from '../../../src/machine/files.js'
import {EventBus} from '../../../src/pipeline/run/events.js'
import {runSteps, type StepsRun} from '../../../src/pipeline/run/run-steps.js'
import {drifted, type Step, type StepContext, type StepId} from '../../../src/pipeline/run/step.js'
import {InterruptedError} from '../../../src/pipeline/run/to-user-error.js'
import {handClock} from '../../fakes/hand-clock.js'
import {start, states, step, turn} from './pipeline-rig.js'

describe('a step that fails', () => {
  const refusal = nodeNotReady({node: 'win-1', said: 'no'})
  const failing = (id: StepId, error: unknown): Step => step(id, {apply: () => Promise.reject(error)})

  it('cancels what runs beside it and leaves the rest undone; what is done stays done', async () => {
    let beside: StepContext | undefined
    const hangs = step('base-images', {
      async apply(context) {
        beside = context
        context.changed('half')
        await new Promise(() => {})
      },
    })
    const {clock, events, outcome} = start([
      step('base-dir'),
      hangs,
      failing('net-conf', refusal),
      step('cni-config', {needs: ['net-conf']}),
      step('node-ready', {needs: ['base-images']}),
    ])
    const {error, results} = await outcome
    expect(error).toBe(refusal)
    expect(states(results)).toEqual({
      'base-dir': 'changed',
      'base-images': 'changed',
      'cni-config': 'not-run',
      'net-conf': 'failed',
      'node-ready': 'not-run',
    })
    expect(results.find(({id}) => id === 'net-conf')?.error).toMatchObject({
      cause: refusal.reason,
      id: 'NODE_NOT_READY',
    })
    expect(results.find(({id}) => id === 'base-images')).toMatchObject({changes: ['half'], error: {id: 'STEP_STOPPED'}})
    expect(beside?.signal.aborted).toBe(true)
    expect(events.filter(({type}) => type === 'step-started')).toHaveLength(3)
    expect(clock.open()).toBe(0)
  })

  it('leaves a step not run that it stopped before it had changed anything', async () => {
    const hangs = step('base-images', {apply: () => new Promise(() => {})})
    const {results} = await start([hangs, failing('net-conf', refusal)]).outcome
    const stopped = results.find(({id}) => id === 'base-images')
    expect(stopped).toMatchObject({changes: [], state: 'not-run'})
    expect(stopped?.error).toBeUndefined()
  })

  it('is explained where the machine refused, and a bug where it was not foreseen', async () => {
    const refused = await start([failing('net-conf', new FileError('write', 'x', 'EBUSY'))]).outcome
    expect(refused.error).toMatchObject({id: 'FILE_REFUSED'})
    const surprise = new TypeError('surprise')
    const bug = await start([failing('net-conf', surprise)]).outcome
    expect(bug.error).toBe(surprise)
    expect(bug.results[0]?.error).toMatchObject({id: 'BUG'})
  })

  it('is one that does not hold', async () => {
    const {error, results} = await start([step('net-conf', {inspect: async () => drifted('another content', 'again')})])
      .outcome
    expect(error).toMatchObject({
      exitCode: 5,
      id: 'STEP_DID_NOT_HOLD',
      reason: 'The step was applied, but: another content; again.',
    })
    expect(states(results)).toEqual({'net-conf': 'failed'})
  })

  it('is one whose deadline passes, though it does not listen', async () => {
    const waitsFor = (): string => String.raw`read C:\x`
    const hangs = step('net-conf', {apply: () => new Promise(() => {}), deadlineMs: 30_000})
    const {clock, outcome} = start([hangs], {waitsFor})
    await turn()
    clock.advance(29_999)
    await turn()
    clock.advance(1)
    const {error, results} = await outcome
    expect(error).toMatchObject({
      exitCode: 6,
      id: 'DEADLINE_PASSED',
      message: expect.stringContaining('"Provide net-conf"') as string,
      reason: expect.stringMatching(/within 30 s\..* read C:\\x\./) as string,
    })
    // And a moment more, in which one that does listen could have tidied up.
    expect(results[0]).toMatchObject({durationMs: 31_000, state: 'failed'})
  })
})

describe('Ctrl-C', () => {
  it('ends what runs, and starts nothing more', async () => {
    const hangs = step('base-images', {apply: () => new Promise(() => {})})
    const {abort, outcome} = start([step('base-dir'), hangs, step('pause-image', {needs: ['base-images']})])
    await turn()
    abort.abort(new InterruptedError())
    const {error, results} = await outcome
    expect(error).toMatchObject({exitCode: 130, id: 'INTERRUPTED'})
    expect(states(results)).toEqual({'base-dir': 'changed', 'base-images': 'not-run', 'pause-image': 'not-run'})
    expect(results.map((result) => result.error?.id)).toEqual([undefined, 'INTERRUPTED', undefined])
  })

  it('lets what listens tidy up, and hears nothing of what does not', async () => {
    const told: string[] = []
    const listens = step('base-images', {
      async apply({signal, warn}) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        warn('tidied up')
        throw signal.reason
      },
    })
    let late = (): void => {}
    const deaf = step('net-conf', {
      apply: ({warn}) =>
        new Promise(() => {
          late = () => warn('too late')
        }),
    })
    const {abort, events, outcome} = start([listens, deaf])
    await turn()
    abort.abort(new InterruptedError())
    await outcome
    late()
    for (const event of events) if (event.type === 'log') told.push(event.message)
    expect(told).toEqual(['tidied up'])
  })

  it('before the run begins leaves everything undone', async () => {
    const abort = AbortSignal.abort(new InterruptedError())
    const run = {bus: new EventBus(() => 0), clock: handClock(), context: {} as StepsRun['context'], signal: abort}
    const {error, results} = await runSteps({...run, steps: [step('base-dir')]})
    expect(error).toBeInstanceOf(InterruptedError)
    expect(states(results)).toEqual({'base-dir': 'not-run'})
  })
})
