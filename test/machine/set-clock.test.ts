// The clock of a host may be set by hours while k8s-win waits: no wait becomes longer or shorter.
import {expect, test} from 'vitest'
import {discoverCluster} from '../../src/host/cluster/discovery.js'
import {openRequests} from '../../src/host/cluster/request.js'
import {waitFor} from '../../src/host/wait.js'
import type {Clock} from '../../src/machine/clock.js'
import {type Http, HttpError} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {fileRetry} from '../../src/machine/real/file-retry.js'
import type {Win32} from '../../src/machine/win32.js'
import {untilSettled} from '../../src/runs/phases/settling.js'
import {takeLock} from '../../src/runs/run-lock.js'
import {handClock} from '../fakes/hand-clock.js'
import {only} from '../fakes/partial.js'

const HOUR_MS = 3_600_000
const {signal} = new AbortController()
const SERVER = 'https://10.0.0.10:6443'
const never = async (): Promise<undefined> => undefined

const silent = only<Http>('http', {
  request: async ({url}) => Promise.reject(new HttpError(url, 'ECONNREFUSED', 'connection refused')),
})
const forbidding = only<Http>('http', {
  request: async () => ({body: Buffer.from('{}'), chunks: [], headers: {}, status: 403}) as never,
})
const joining = {caCertHashes: [], isVerificationSkipped: true, server: SERVER, token: 'abcdef.0123456789abcdef'}
/** Another run has the lock, and watch yields to nobody. */
const locked = only<Win32>('win32', {
  isMutexHeld: async () => true,
  takeMutex: async (name) => (name.includes('wanted') ? async () => {} : undefined),
})

/** Asks for twenty minutes, every thirty seconds, what it may not. */
async function askAgain(clock: Clock): Promise<void> {
  const kubeconfig = {key: '', secrets: [], server: SERVER, tls: {}, write: () => ''}
  const run = (): Promise<never> => Promise.reject(new Error('no program was expected'))
  const ask = openRequests({clock, http: forbidding, run}, kubeconfig)
  for (let asked = 0; asked < 40; asked++) {
    await ask('GET', '/version').catch(() => {})
    await clock.sleep(30_000)
  }
}

const WAITS: Readonly<Record<string, (clock: Clock) => Promise<unknown>>> = {
  'a file in use': (clock) =>
    fileRetry(clock)({operation: 'remove', path: 'C:\\k\\a', patienceMs: 60_000}, async () => {
      throw Object.assign(new Error('in use'), {code: 'EBUSY', syscall: 'unlink'})
    }),
  discovery: (clock) => discoverCluster({clock, http: silent}, joining, signal),
  'the lock of a run': (clock) => takeLock({clock, win32: locked} as Machine, 'C:\\k\\lock.json'),
  'the network of a run that was killed': (clock) => untilSettled(clock, signal, never, () => false),
  'what may become true': (clock) => waitFor(clock, {deadlineMs: 60_000, everyMs: 4000}, never),
  'what the cluster forbids': askAgain,
}

/** All pauses of a wait on a clock that is set after each of them, forward and back in turn. */
async function pauses(wait: (clock: Clock) => Promise<unknown>, setMs: number): Promise<readonly number[]> {
  const clock = handClock(Date.parse('2026-05-05'))
  let nth = 0
  const set: Clock = {
    ...clock,
    async sleep(ms, own) {
      if (clock.slept.length > 2000) throw new Error('it does not end')
      await clock.sleep(ms, own)
      clock.jump(nth++ % 3 === 2 ? -2 * setMs : setMs)
    },
  }
  await wait(set).catch(() => {})
  return clock.slept
}

test.each(Object.entries(WAITS))(
  'review L3-6: a clock that is set does not change the wait for %s',
  async (_, wait) => {
    const usual = await pauses(wait, 0)
    expect(usual.length).toBeGreaterThan(5)
    expect(await pauses(wait, HOUR_MS)).toEqual(usual)
    expect(await pauses(wait, -HOUR_MS)).toEqual(usual)
  },
)

test('review L3-6: hosts that were started together do not ask a cluster at the same time', async () => {
  const clock = handClock()
  let drawn = 0
  const random = (): number => (drawn = (drawn + 0.618) % 1)
  const found = discoverCluster({clock: {...clock, random}, http: silent}, joining, signal)
  await expect(found).rejects.toMatchObject({id: 'JOIN_SERVER_UNREACHABLE'})
  expect(new Set(clock.slept).size).toBeGreaterThan(5)
  expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(5000)
  expect(Math.max(...clock.slept)).toBeLessThanOrEqual(7500)
})
