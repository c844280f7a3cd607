import {describe, expect, it} from 'vitest'
import {CHANGE_PATIENCE_MS, fileRetry, READ_PATIENCE_MS} from '../../../src/machine/real/file-retry.js'
import {steadyClock} from './steady-clock.js'

const attempt = {operation: 'write', path: 'C:\\k\\f', patienceMs: CHANGE_PATIENCE_MS}

function refusal(code: string): Error {
  return Object.assign(new Error(code), {code, syscall: 'open'})
}

function refusing(times: number, code: string) {
  let left = times
  return async () => {
    if (left-- > 0) throw refusal(code)
    return 'done'
  }
}

describe('a file that someone holds', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('%s is waited for, longer each time', async (code) => {
    const clock = steadyClock()
    expect(await fileRetry(clock)(attempt, refusing(12, code))).toBe('done')
    expect(clock.slept).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 100, 100])
  })

  it.each([CHANGE_PATIENCE_MS, READ_PATIENCE_MS])('is given up after %i ms', async (patienceMs) => {
    const clock = steadyClock()
    const tried = fileRetry(clock)({...attempt, patienceMs}, refusing(Infinity, 'EBUSY'))
    await expect(tried).rejects.toMatchObject({code: 'EBUSY', name: 'FileError', operation: 'write', path: 'C:\\k\\f'})
    expect(clock.now()).toBeGreaterThan(patienceMs - 101)
    expect(clock.now()).toBeLessThanOrEqual(patienceMs)
  })

  it.each(['ENOSPC', 'ENOENT', 'EISDIR'])('%s is no such file', async (code) => {
    const clock = steadyClock()
    await expect(fileRetry(clock)(attempt, refusing(1, code))).rejects.toMatchObject({code, name: 'FileError'})
    expect(clock.slept).toEqual([])
  })

  it('other errors pass as they are', async () => {
    const error = new TypeError('a bug')
    await expect(fileRetry(steadyClock())(attempt, () => Promise.reject(error))).rejects.toBe(error)
  })
})
