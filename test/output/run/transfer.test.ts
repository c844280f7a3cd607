import {describe, expect, test} from 'vitest'
import {estimateText} from '../../../src/output/run/estimate.js'
import {RunState} from '../../../src/output/run/run-state.js'
import {Transfer, transferOf} from '../../../src/output/run/transfer.js'
import type {RunEvent} from '../../../src/pipeline/run/events.js'

const MB = 1_000_000

function transfer(total: number | undefined, ...bytes: readonly number[]): Transfer {
  const one = new Transfer()
  for (const [second, megabytes] of bytes.entries()) one.note(second * 1000, megabytes * MB, total && total * MB)
  return one
}

describe('review U2-9: a transfer', () => {
  test.each([
    ['bytes, rate and time left', transfer(88, 20, 32, 44), 2000, '44/88 MB  12 MB/s  4 s left'],
    ['no rate in the beginning', transfer(88, 12), 0, '12/88 MB'],
    ['no total and no time left where the total is not known', transfer(undefined, 20, 32, 44), 2000, '44 MB  12 MB/s'],
    ['nothing left at its end', transfer(44, 20, 32, 44), 2000, '44/44 MB'],
    ['minutes', transfer(2270, 0, 10), 1000, '10/2270 MB  10 MB/s  4 min left'],
    ['hours', transfer(2270, 0, 0.5), 1000, '0.5/2270 MB  0.5 MB/s  1 h 16 min left'],
    ['a transfer that stopped is not shown at its old speed', transfer(88, 20, 32, 44), 30_000, '44/88 MB  0.0 MB/s'],
  ])('%s', (_, one, now, text) => {
    expect(one.text(now)).toBe(text)
  })

  test('the rate is that of the last seconds, however often it is reported', () => {
    const one = new Transfer()
    // 100 MB/s for 20 s, then 1 MB/s for 20 s, a hundred reports per second.
    for (let at = 0; at <= 40_000; at += 10) {
      one.note(at, (at <= 20_000 ? at / 10 : 2000 + (at - 20_000) / 1000) * MB, 3000 * MB)
    }
    expect(one.text(40_000)).toBe('2020/3000 MB  1.0 MB/s  16 min left')
  })

  test('another text is another transfer, and what counts no bytes is none', () => {
    const before = {text: 'downloading a', transfer: transfer(88, 20, 44)}
    expect(transferOf(before, {current: 50 * MB, text: 'downloading a'}, 3000)).toBe(before.transfer)
    expect(transferOf(before, {current: 5 * MB, text: 'downloading b'}, 3000)?.text(3000)).toBe('5.0 MB')
    expect(transferOf(before, {text: 'downloading a'}, 3000)).toBeUndefined()
  })
})

describe('review U2-10: the estimate of the whole run', () => {
  const run = (command: string, ...events: readonly RunEvent[]): RunState => {
    const state = new RunState()
    const steps = (['base-dir', 'base-images', 'node-ready'] as const).map((id) => ({id, title: id}))
    const all: RunEvent[] = [{command, steps, type: 'run-started'}, ...events]
    for (const [second, event] of all.entries()) state.note({at: new Date((second + 1) * 1000).toISOString(), ...event})
    return state
  }
  const began: RunEvent = {id: 'base-images', title: '', type: 'step-started'}
  const pulled = (megabytes: number): RunEvent => ({
    current: megabytes * MB,
    id: 'base-images',
    text: 'pulling',
    total: 2000 * MB,
    type: 'progress',
  })

  test.each([
    ['what steps usually take', run('setup', began), 20_000, 'about 3 min left'],
    ['a slow transfer takes longer', run('setup', began, pulled(0), pulled(1)), 6000, 'about 34 min left'],
    ['nothing in the beginning, when all may be in place', run('setup', began), 3000, ''],
    ['nothing for other commands', run('reset', began), 20_000, ''],
    [
      'a step that takes longer than usual says nothing',
      run('setup', began, {id: 'node-ready', title: '', type: 'step-started'}),
      600_000,
      '',
    ],
  ])('%s', (_, state, now, text) => {
    expect(estimateText(state, now)).toBe(text)
  })
})
