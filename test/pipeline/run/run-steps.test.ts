// The pipeline: order by needs, side by side where it may be.
import {describe, expect, it} from 'vitest'
import {inPlace, missing, type Step, type StepId} from '../../../src/pipeline/run/step.js'
import {start, states, step, turn} from './pipeline-rig.js'

describe('a run', () => {
  it('does what is missing, leaves what is in place, and looks again', async () => {
    let looks = 0
    const steps = [
      step('docker', {inspect: async () => inPlace('runs')}),
      step('net-conf', {inspect: async () => (++looks === 1 ? missing('x') : inPlace('y'))}),
    ]
    const {clock, events, outcome} = start(steps)
    const {error, results} = await outcome
    expect(error).toBeUndefined()
    expect(results).toEqual([
      {changes: [], durationMs: 0, id: 'docker', state: 'in-place', title: 'Provide docker'},
      {changes: ['make net-conf'], durationMs: 0, id: 'net-conf', state: 'changed', title: 'Provide net-conf'},
    ])
    expect(looks).toBe(2)
    expect(events.filter(({type}) => type === 'step-finished')).toHaveLength(2)
    expect(clock.open()).toBe(0)
  })

  it('keeps the order of needs, and runs the others side by side', async () => {
    const order: string[] = []
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const tell = (id: StepId, needs: StepId[], wait?: Promise<void>): Step => {
      const made = step(id, {needs})
      return {
        ...made,
        async apply(context) {
          order.push(`+${id}`)
          await wait
          await made.apply(context)
          order.push(`-${id}`)
        },
      }
    }

    const {outcome} = start([
      tell('base-dir', [], held),
      tell('docker', []),
      tell('net-conf', ['base-dir']),
      tell('base-images', ['docker']),
    ])
    await turn()
    await turn()
    expect(order).toEqual(['+base-dir', '+docker', '-docker', '+base-images', '-base-images'])
    release()
    await outcome
    expect(order.slice(5)).toEqual(['-base-dir', '+net-conf', '-net-conf'])
  })

  it('takes a need that is not in the plan for done, and refuses a list in the wrong order', async () => {
    const {results} = await start([step('flanneld-service', {needs: ['external-network']})]).outcome
    expect(states(results)).toEqual({'flanneld-service': 'changed'})
    await expect(start([step('net-conf', {needs: ['base-dir']}), step('base-dir')]).outcome).rejects.toThrow(
      'step net-conf needs base-dir, which comes after it',
    )
  })

  it('reports progress and warnings with their step', async () => {
    const {events, outcome} = start([
      step('docker', {
        async inspect(context) {
          context.progress({current: 1, text: 'looking', total: 2})
          context.warn('odd')
          return inPlace('x')
        },
      }),
    ])
    await outcome
    expect(events).toContainEqual(
      expect.objectContaining({current: 1, id: 'docker', text: 'looking', total: 2, type: 'progress'}),
    )
    expect(events).toContainEqual(expect.objectContaining({level: 'warn', message: 'odd', step: 'docker', type: 'log'}))
  })
})

describe('a step that is to be skipped', () => {
  it('is neither checked nor made, is treated as done, and is warned about', async () => {
    const untouched = async (): Promise<never> => Promise.reject(new Error('touched'))
    const steps = [
      step('docker'),
      step('net-conf', {apply: untouched, inspect: untouched, needs: ['docker']}),
      step('cni-config', {needs: ['net-conf']}),
    ]
    const {events, outcome} = start(steps, {skip: ['net-conf']})
    const {error, results} = await outcome
    expect(error).toBeUndefined()
    expect(states(results)).toEqual({'cni-config': 'changed', docker: 'changed', 'net-conf': 'skipped'})
    expect(events).toContainEqual(expect.objectContaining({level: 'warn', step: 'net-conf', type: 'log'}))
    expect(events).toContainEqual(
      expect.objectContaining({step: expect.objectContaining({id: 'net-conf', state: 'skipped'}) as object}),
    )
  })

  it('still waits for what it needs, and is not reached where that fails', async () => {
    const steps = [
      step('docker', {apply: async () => Promise.reject(new Error('no'))}),
      step('net-conf', {needs: ['docker']}),
      step('cni-config', {needs: ['net-conf']}),
    ]
    const {results} = await start(steps, {skip: ['net-conf']}).outcome
    expect(states(results)).toEqual({'cni-config': 'not-run', docker: 'failed', 'net-conf': 'not-run'})
  })
})
