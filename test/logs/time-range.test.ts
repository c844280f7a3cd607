import {describe, expect, it} from 'vitest'
import {componentNamed, COMPONENT_WORDS, logFolders} from '../../src/logs/components.js'
import {parseAge, parseMoment} from '../../src/logs/time-range.js'
import {HOST_ZONE, UTC_ZONE} from '../../src/logs/zone.js'

describe('times', () => {
  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['250ms', 250],
    ['0s', 0],
    ['', undefined],
    ['10', undefined],
    ['-5m', undefined],
    ['1.5h', undefined],
    ['5 m', undefined],
    ['999999999w', undefined],
  ])('%s ago is %s', (text, ms) => {
    expect(parseAge(text)).toBe(ms)
  })

  it.each([
    ['2026-01-31T14:00:00Z', '2026-01-31T14:00:00Z'],
    ['2026-01-31t14:00:00.5+01:00', '2026-01-31T13:00:00.5Z'],
    ['2026-01-31 14:00', '2026-01-31T14:00:00Z'],
    ['2026-01-31', '2026-01-31T00:00:00Z'],
  ])('%s is a moment', (text, iso) => {
    expect(parseMoment(text, UTC_ZONE)).toBe(Date.parse(iso))
  })

  it.each(['', 'now', '2026-02-30', '2026-13-01', '2026-01-31T25:00:00Z', '14:00', '2026-01-31T14:00:00Zx'])(
    '%j is none',
    (text) => {
      expect(parseMoment(text, UTC_ZONE)).toBeUndefined()
    },
  )

  it("of the host's own zone are read and written alike", () => {
    const time = HOST_ZONE.at(2026, 7, 1, 12, 30, 5) + 7
    expect(HOST_ZONE.text(time)).toBe('2026-07-01 12:30:05.007')
    expect(parseMoment('2026-07-01 12:30:05.007', HOST_ZONE)).toBe(time)
  })
})

describe('components', () => {
  it('have other names too', () => {
    expect(['Kubelet', 'kube-proxy', 'KUBEPROXY', 'flannel', 'k8s-win', 'flanneld.exe'].map(componentNamed)).toEqual([
      'kubelet',
      'kubeproxy',
      'kubeproxy',
      'flanneld',
      'k8s-win',
      'flanneld',
    ])
    expect([componentNamed('docker'), componentNamed('constructor')]).toEqual([undefined, undefined])
    expect(COMPONENT_WORDS.every((word) => componentNamed(word))).toBe(true)
  })

  it("have a folder each, and kube-proxy the original script's as well", () => {
    expect(logFolders(String.raw`C:\k\logs`, ['kubeproxy', 'k8s-win']).map(({path}) => path)).toEqual([
      String.raw`C:\k\logs\kubeproxy`,
      String.raw`C:\k\logs\kube-proxy`,
      String.raw`C:\k\logs\k8s-win`,
    ])
  })
})
