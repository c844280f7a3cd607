import {daemonLogs} from '../../src/logs/components.js'
import {describe, expect, it} from 'vitest'
import {COMMON_DAEMONS, DAEMONS} from '../../src/config/daemons.js'
import {K8sWinError, ProblemsError} from '../../src/errors/k8s-win-error.js'
import type {Wanted} from '../../src/logs/filter.js'
import {UTC_ZONE} from '../../src/logs/zone.js'
import {type LogsFlags, readLogsRequest} from '../../src/runs/logs/logs-request.js'
import {setupConfig} from '../fixtures/setup-config.js'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const read = (flags: LogsFlags, ...words: readonly string[]) => readLogsRequest(words, flags, UTC_ZONE)
const sorted = (daemons: typeof DAEMONS) => daemons.map(({service}) => service).sort()
const wanted = (flags: LogsFlags): Wanted => read(flags).wanted(NOW)

function problems(flags: LogsFlags, ...words: readonly string[]): K8sWinError[] {
  try {
    read(flags, ...words)
  } catch (error) {
    if (error instanceof ProblemsError) return [...error.problems]
    if (error instanceof K8sWinError) return [error]
    throw error
  }
  return []
}

describe('what is asked of the logs', () => {
  it('review U8: is the daemons, or those that are named, each once', () => {
    expect(read({}).components).toBeUndefined()
    expect(daemonLogs(setupConfig())).toEqual(sorted(COMMON_DAEMONS))
    expect(daemonLogs(setupConfig({release: '1.36.4', runtime: 'containerd'}))).toEqual(sorted(DAEMONS))
    expect(read({}, 'containerd.exe', 'CRI').components).toEqual(['containerd'])
    expect(read({}, 'k8s-win', 'kubelet').components).toEqual(['kubelet', 'k8s-win'])
    expect(read({}, 'kube-proxy', 'kubeproxy', 'Flannel').components).toEqual(['flanneld', 'kubeproxy'])
  })

  it('is everything, unless it is followed: then it begins with the last ten', () => {
    expect(read({}).tail).toBeUndefined()
    expect(read({follow: true}).tail).toBe(10)
    expect(read({follow: true, since: '1h'}).tail).toBeUndefined()
    expect(read({follow: true, tail: 'all'}).tail).toBeUndefined()
    expect(read({tail: '-1'}).tail).toBeUndefined()
    expect(read({follow: true, since: '1h', tail: '5'}).tail).toBe(5)
  })

  it('is of some time', () => {
    expect(wanted({since: '10m'})).toEqual({since: NOW - 600_000})
    expect(wanted({'since-time': '2026-11-15T11:00:00Z', until: '30m'})).toEqual({
      since: NOW - 3_600_000,
      until: NOW - 1_800_000,
    })
  })

  it('is of no range that ends before it begins', () => {
    const wrong: readonly LogsFlags[] = [
      {since: '10m', until: '20m'},
      {'since-time': '2026-11-15T11:00:00Z', until: '2h'},
      {'since-time': '2026-11-15T11:00:00Z', until: '2026-11-15T10:00:00Z'},
    ]
    for (const flags of wrong) {
      expect(() => wanted(flags)).toThrow(expect.objectContaining({exitCode: 2, id: 'BAD_VALUE'}) as Error)
    }
    expect(wanted({since: '20m', until: '10m'})).toEqual({since: NOW - 1_200_000, until: NOW - 600_000})
  })

  it('matches any of some patterns, line by line', () => {
    const {exclude, grep} = wanted({exclude: ['x'], grep: ['^two$', '(?i)THREE']})
    expect(grep?.(['one\ntwo', 'a three', 'two three x', 'twofold'])).toEqual([true, true, true, false])
    expect(exclude?.(['x', 'y'])).toEqual([true, false])
  })
})

describe('what cannot be asked', () => {
  it('is reported at once, all of it', () => {
    const ids = problems(
      {exclude: ['['], grep: ['('], since: 'soon', 'since-time': 'x', tail: 'ten', until: 'y'},
      'kublet',
    ).map(({exitCode, id}) => [id, exitCode])
    expect(ids).toEqual([
      ['UNKNOWN_COMPONENT', 2],
      ...Array.from({length: 6}, () => ['BAD_VALUE', 2]),
      ['CONTRADICTING_FLAGS', 2],
    ])
  })

  it.each([
    [{since: '9999999h'}, 'It is too long: at most 100 years.'],
    [{until: '99999999999999d'}, 'It is too long: at most 100 years.'],
    [{since: 'soon'}, 'It is not a valid duration.'],
    [{until: 'soon'}, 'It is not a valid time.'],
  ])('%j: %s', (flags, reason) => {
    expect(problems(flags).map((problem) => problem.reason)).toEqual([reason])
  })

  it.each([
    ['kublet', 'Did you mean kubelet?'],
    ['kube-prxy', 'Did you mean kubeproxy?'],
    ['docker', `Name one of: ${sorted(DAEMONS).join(', ')}, k8s-win.`],
  ])('%s is not a component: %s', (word, fix) => {
    expect(problems({}, word)[0]?.fix).toContain(fix)
  })

  it.each<LogsFlags>([
    {follow: true, previous: true},
    {follow: true, until: '1m'},
    {path: true, tail: '2'},
    {path: true, follow: true},
    {grep: ['x'], path: true},
    {since: '1m', 'since-time': '2026-01-01'},
  ])('%j contradict each other', (flags) => {
    expect(problems(flags).map(({id}) => id)).toEqual(['CONTRADICTING_FLAGS'])
  })

  it.each(['1000001', '-5', '1.5', '1e3', ''])('--tail %j', (tail) => {
    expect(problems({tail})[0]?.id).toBe('BAD_VALUE')
  })

  it('a broken pattern: its error is reported', () => {
    const [problem] = problems({grep: ['(oops']})
    expect(problem?.reason).toMatch(/Unterminated group/)
  })

  it.each([['a?'], ['(a|b)'], ['(?i)\u0100?']])(
    'review R2: a pattern of 20 KB, which V8 may compile or not, is refused: %s',
    (piece) => {
      const problem = problems({exclude: ['x'], grep: [piece.repeat(20_000 / piece.length)]})[0]
      expect(problem).toMatchObject({exitCode: 2, id: 'BAD_VALUE'})
      expect(`${problem?.message}${problem?.reason}`.length).toBeLessThan(400)
    },
  )

  it('a pattern that never ends: it is stopped', () => {
    const {grep} = wanted({grep: ['(a+)+$']})
    expect(() => grep?.([`${'a'.repeat(40)}b`])).toThrow(
      expect.objectContaining({exitCode: 2, id: 'SLOW_PATTERN'}) as Error,
    )
  })
})
