import {describe, expect, onTestFinished, test} from 'vitest'
import type {StatusDocument} from '../../src/pipeline/run/status-report.js'
import {watchStatus} from '../../src/runs/status/status.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {handClock} from '../fakes/hand-clock.js'
import {HEALTHY, SICK_DOCUMENT} from '../status/documents.js'
import {healthyNode, statusOn} from '../status/status-on.js'

function watching(documents: readonly StatusDocument[], stopAfter: number) {
  const stop = new AbortController()
  const clock = handClock()
  const seen: number[] = []
  let looks = 0
  const exitCode = watchStatus({
    clock,
    intervalMs: 5000,
    async check() {
      if (looks === stopAfter) {
        stop.abort(new Error('interrupted'))
        return new Promise(() => {})
      }
      return documents[looks++] ?? HEALTHY
    },
    onDocument: (document) => seen.push(document.exitCode),
    signal: stop.signal,
  })
  return {clock, exitCode, seen}
}

describe('watching', () => {
  test('looks again after each pause, and ends with the code of the last look', async () => {
    const {clock, exitCode, seen} = watching([HEALTHY, HEALTHY, SICK_DOCUMENT], 3)
    expect(await exitCode).toBe(8)
    expect(seen).toEqual([0, 0, 8])
    expect(clock.slept).toEqual([5000, 5000, 5000])
  })

  test('interrupted before the first look was done, it ends with 130', async () => {
    expect(await watching([HEALTHY], 0).exitCode).toBe(130)
  })

  test('interrupted while it waits, it ends at once', async () => {
    const stop = new AbortController()
    const clock = {
      ...handClock(),
      sleep: async (_: number, signal?: AbortSignal) => {
        stop.abort(new Error('interrupted'))
        signal?.throwIfAborted()
      },
    }
    const run = {clock, intervalMs: 5000, check: async () => HEALTHY, onDocument: () => {}, signal: stop.signal}
    expect(await watchStatus(run)).toBe(0)
  })

  test('a check that fails ends it', async () => {
    const check = async (): Promise<StatusDocument> => {
      throw new Error('no such folder')
    }
    const signal = new AbortController().signal
    await expect(
      watchStatus({clock: handClock(), intervalMs: 1000, check, onDocument: () => {}, signal}),
    ).rejects.toThrow('no such')
  })

  test('sees a node become unhealthy and healthy again, on simulated time', async () => {
    const node = await healthyNode()
    onTestFinished(() => node.discard())
    const {clock} = await openSimulator({dir: node.dir, profile: 'ws2019', readOnly: true})
    const began = clock.now()
    const stop = new AbortController()
    const seen: string[] = []
    const exitCode = await watchStatus({
      clock,
      intervalMs: 60_000,
      check: async () => (await statusOn(node.dir)).document,
      onDocument({verdict}) {
        seen.push(verdict)
        node.edit(({cluster}) => void (cluster.reachable = seen.length !== 1))
        if (seen.length === 3) stop.abort(new Error('interrupted'))
      },
      signal: stop.signal,
    })
    expect({exitCode, seen}).toEqual({exitCode: 0, seen: ['healthy', 'degraded', 'healthy']})
    expect(clock.now() - began).toBe(120_000)
  })
})
