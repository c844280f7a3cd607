// What an upgrade lists as restarting, in its plan and when it runs.
import {expect, it} from 'vitest'
import {setupOn} from '../setup/in-process.js'
import {nodeAt} from './node-at.js'

/** The warnings about containers of pods. */
async function restartsOf(from: string, to: string, given = {}, containerd?: string): Promise<string[]> {
  const host = await nodeAt(from, '1.32.11', undefined, containerd)
  const {events, result} = await setupOn(host.dir, {release: to, ...given}, {dryRun: true})
  expect(result.error).toBeUndefined()
  return events.flatMap((event) =>
    event.type === 'log' && event.level === 'warn' && /stays on the node/.test(event.message) ? [event.message] : [],
  )
}

it.each([
  ['1.30.14', '1.31.14'],
  ['1.31.14', '1.30.14'],
])('review D3-2: the plan says that between %s and %s every container restarts', async (from, to) => {
  expect(await restartsOf(from, to)).toEqual([expect.stringContaining('kubernetes#124220')])
})

it('review D3-2: no container is said to restart where its hash stays', async () => {
  expect(await restartsOf('1.31.14', '1.32.11')).toEqual([])
})

it('review D3-2: another containerd stops the pods that stay', async () => {
  const other = {'containerd-version': '2.3.4'}
  expect(await restartsOf('1.31.14', '1.31.14', other, '2.1.9')).toEqual([expect.stringContaining('containerd 2.1.9')])
})

it('review D3-2: an upgrade that runs says the same before its first step', async () => {
  const host = await nodeAt('1.30.14', '1.31.14')
  const {events, result} = await setupOn(host.dir, {release: '1.31.14'}, {})
  expect(result.exitCode).toBe(0)
  const at = events.findIndex((event) => event.type === 'log' && event.message.includes('kubernetes#124220'))
  const step = events.findIndex(({type}) => type === 'step-started')
  expect(at).toBeGreaterThan(-1)
  expect(at).toBeLessThan(step)
})
