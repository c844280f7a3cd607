// Which containerd fits a release: containerd's own table, its end of life by a fixed clock, and a fix that it should have.
import {describe, expect, it} from 'vitest'
import {containerdWarnings} from '../../../src/components/releases/containerd-support.js'
import {parseVersion, type Version} from '../../../src/config/version.js'

const version = (text: string): Version => parseVersion(text)!
/** Before any of the branches that are tried here has ended. */
const EARLY = Date.parse('2025-08-01')
const warnings = (containerd: string, release: string, now = EARLY): string[] =>
  containerdWarnings(version(containerd), version(release), now)

describe('review T11: the table of containerd', () => {
  it.each([
    ['1.32.13', ['1.6.36', '1.7.24', '2.0.1', '2.1.0', '2.3.4'], ['1.6.35', '1.7.23', '2.0.0']],
    ['1.33.13', ['1.6.36', '1.7.24', '2.0.4', '2.1.0', '2.2.0'], ['1.6.35', '1.7.23', '2.0.3']],
    ['1.34.11', ['1.6.39', '1.7.28', '2.0.6', '2.1.3', '2.2.0', '2.3.4'], ['1.6.38', '1.7.27', '2.0.5', '2.1.2']],
    // It lists no 2.0 there.
    ['1.35.8', ['1.7.28', '2.1.5', '2.2.0', '2.3.4'], ['1.6.39', '1.7.27', '2.0.11', '2.1.4']],
    ['1.36.4', ['2.2.0', '2.3.0', '2.3.4', '2.4.0', '3.0.0'], ['1.7.34', '2.0.11', '2.1.9']],
    ['1.37.0', ['2.2.0', '2.3.4'], ['1.7.34', '2.1.9']],
  ])('%s is tested with %j, and not with %j', (release, tested, others) => {
    const untested = (containerd: string): boolean =>
      warnings(containerd, release).some((one) => /tested with/.test(one))
    expect([tested.map(untested), others.map(untested)]).toEqual([tested.map(() => false), others.map(() => true)])
  })

  it.each(['1.24.17', '1.31.14'])('has no row for %s, and so there is no warning', (release) => {
    expect(['1.7.11', '2.0.0', '2.3.4'].flatMap((containerd) => warnings(containerd, release))).toEqual([])
  })

  it('is named in the warning', () => {
    expect(warnings('1.7.25', '1.35.8')).toEqual(['Kubernetes 1.35 is tested with containerd 1.7.28+, 2.1.5+, 2.2.0+'])
  })
})

it.each([
  ['1.7.34', '2026-09-30'],
  ['2.1.9', '2026-07-03'],
  ['2.2.7', '2026-11-06'],
  ['2.3.4', '2028-04-30'],
])('review T11: %s is past its end of life after %s', (containerd, day) => {
  const [last, next] = [Date.parse(`${day}T23:59:59Z`), Date.parse(`${day}T23:59:59Z`) + 1000]
  expect([last, next].map((now) => warnings(containerd, '1.31.14', now))).toEqual([
    [],
    [`upstream support of ${containerd.replace(/\.\d+$/, '')} ended on ${day}`],
  ])
})

it('one that leaves snapshots behind (containerd#9465)', () => {
  expect(['1.7.10', '1.7.11'].map((one) => warnings(one, '1.31.14').length)).toEqual([1, 0])
})
