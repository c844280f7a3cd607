// Every cell of the table: what each launcher gets for each end of a run.
import {describe, expect, it} from 'vitest'
import {type Launcher, LAUNCHERS} from '../../../src/config/launchers.js'
import {type Counts, launcherEnd, type RunEnd} from '../../../src/runs/launcher/exit-code.js'

const NONE: Counts = {attempts: 0, restarts: 0}
const end = (exitCode: number, more: Partial<RunEnd> = {}): RunEnd => ({
  continues: true,
  exitCode,
  isTransient: false,
  restartsWindows: false,
  ...more,
})
const codes = (ended: RunEnd, counts = NONE): Record<string, number> =>
  Object.fromEntries(LAUNCHERS.map((launcher) => [launcher, launcherEnd(launcher, ended, counts).code]))
const each = (code: number): Record<string, number> => Object.fromEntries(LAUNCHERS.map((name) => [name, code]))

describe('the exit code', () => {
  it.each<[outcome: string, ended: RunEnd, counts: Counts, wanted: Record<string, number>]>([
    ['ready', end(0), NONE, each(0)],
    ['ready at the last try', end(0), {attempts: 3, restarts: 3}, each(0)],
    [
      'restart needed',
      end(10),
      NONE,
      {...each(10), 'azure-cse': 0, 'cloudbase-init': 1003, ec2launch: 3010, ssm: 3010},
    ],
    [
      'restart needed, after which nothing continues the run',
      end(10, {continues: false}),
      NONE,
      {...each(10), 'cloudbase-init': 1003, ec2launch: 3010, ssm: 3010},
    ],
    [
      'a third restart needed',
      end(10),
      {attempts: 0, restarts: 2},
      {...each(10), 'azure-cse': 0, 'cloudbase-init': 1003, ec2launch: 3010, ssm: 3010},
    ],
    [
      'a fourth restart needed',
      end(10),
      {attempts: 0, restarts: 3},
      {...each(10), 'azure-cse': 0, 'cloudbase-init': 5, ec2launch: 5, ssm: 5},
    ],
    ['a fourth restart by k8s-win itself', end(10, {restartsWindows: true}), {attempts: 0, restarts: 3}, each(5)],
    ['transient failure', end(4, {isTransient: true}), NONE, {...each(4), 'cloudbase-init': 1002}],
    [
      'a second transient failure',
      end(6, {isTransient: true}),
      {attempts: 1, restarts: 0},
      {...each(6), 'cloudbase-init': 1002},
    ],
    ['a third transient failure', end(6, {isTransient: true}), {attempts: 2, restarts: 0}, each(6)],
    ['a fourth transient failure', end(6, {isTransient: true}), {attempts: 3, restarts: 0}, each(6)],
    ['interrupted', end(130, {isTransient: true}), NONE, {...each(130), 'cloudbase-init': 1002}],
    ['permanent failure', end(3), NONE, each(3)],
    ['wrong bytes', end(4), NONE, each(4)],
    ['a bug', end(1), NONE, each(1)],
    ['not everything removed', end(7), NONE, each(7)],
    ['invalid command line', end(2), NONE, each(2)],
    ['another run active', end(11), NONE, each(11)],
  ])('of "%s" is what each launcher understands', (_, ended, counts, wanted) => {
    expect(codes(ended, counts)).toEqual(wanted)
  })

  it.each([end(1), end(2), end(3), end(4), end(5), end(6), end(7), end(9), end(130)])(
    'of a failure is never one that cloudbase-init runs again for, nor 0: %o',
    (ended) => {
      for (const code of Object.values(codes(ended))) {
        expect(code).not.toBe(0)
        expect(code < 1001 || code > 1003).toBe(true)
      }
    },
  )
})

describe('a run that could not be counted', () => {
  it.each(LAUNCHERS)('never asks %s for another one', (launcher) => {
    for (const ended of [end(10), end(4, {isTransient: true}), end(6, {isTransient: true})])
      expect(launcherEnd(launcher, ended, NONE).codeIfNotRecorded).toBe(ended.exitCode)
  })
})

describe('the record', () => {
  const recordOf = (launcher: Launcher, ended: RunEnd): string => launcherEnd(launcher, ended, NONE).record

  it('is removed by a success, and written for every other end under a launcher', () => {
    for (const launcher of LAUNCHERS) {
      expect(recordOf(launcher, end(0))).toBe('remove')
      expect(recordOf(launcher, end(2))).toBe('keep')
      expect(recordOf(launcher, end(11))).toBe('keep')
      for (const ended of [end(10), end(3), end(4, {isTransient: true})])
        expect(recordOf(launcher, ended)).toBe(launcher === 'none' ? 'keep' : 'write')
    }
  })

  it('is written without a launcher where k8s-win restarts Windows', () => {
    expect(recordOf('none', end(10, {restartsWindows: true}))).toBe('write')
  })

  it('counts tries and restarts', () => {
    const counts = {attempts: 1, restarts: 1}
    expect(launcherEnd('cloudbase-init', end(4, {isTransient: true}), counts)).toMatchObject({
      counted: {most: 3, nth: 2},
      counts: {attempts: 2, restarts: 1},
    })
    expect(launcherEnd('ssm', end(10), counts)).toMatchObject({
      counted: {most: 3, nth: 2},
      counts: {attempts: 1, restarts: 2},
    })
    expect(launcherEnd('azure-cse', end(10), counts)).toMatchObject({counts})
    expect(launcherEnd('ssm', end(3), counts)).toMatchObject({counts})
    expect(launcherEnd('ssm', end(10), {attempts: 0, restarts: 3})).toMatchObject({tooManyRestarts: true})
  })
})
