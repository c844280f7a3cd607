// reset's options: from the command line and the environment to what is meant.
import {describe, expect, test} from 'vitest'
import {
  type GivenReset,
  RESET_OPTIONS,
  resolveReset,
  sharedWithReset,
} from '../../../src/config/options/reset-options.js'
import {ProblemsError} from '../../../src/errors/k8s-win-error.js'

const DEFAULTS = {
  detach: false,
  drain: false,
  drainMs: 300_000,
  dryRun: false,
  keepDownloads: true,
  keepImages: true,
  keepNode: false,
  purge: false,
  timeoutMs: 1_800_000,
  yes: false,
}

function thrownBy(work: () => unknown): ProblemsError {
  try {
    work()
  } catch (error) {
    if (error instanceof ProblemsError) return error
  }

  return expect.unreachable('it throws no ProblemsError')
}

describe('reset', () => {
  test('without a word keeps images and downloads', () => expect(resolveReset({}, {})).toEqual(DEFAULTS))

  test.each<[GivenReset, object]>([
    [{purge: true}, {keepDownloads: false, keepImages: false, purge: true}],
    [
      {'keep-images': true, purge: true},
      {keepDownloads: false, keepImages: true, purge: true},
    ],
    [{'keep-downloads': false}, {keepDownloads: false, keepImages: true}],
    [
      {drain: true, 'drain-timeout': '90s'},
      {drain: true, drainMs: 90_000},
    ],
    [{'log-file': 'c:/a/../reset.log'}, {logFile: String.raw`c:\reset.log`}],
    [
      {timeout: '1h', yes: true},
      {timeoutMs: 3_600_000, yes: true},
    ],
  ])('%j means %j', (given, wanted) => expect(resolveReset(given, {})).toEqual({...DEFAULTS, ...wanted}))

  test('takes from the environment what the command line does not say; an empty variable says nothing', () => {
    const environment = {
      K8S_WIN_DRAIN: 'true',
      K8S_WIN_DRAIN_TIMEOUT: '10m',
      K8S_WIN_KEEP_NODE: 'TRUE',
      K8S_WIN_PURGE: 'true',
      K8S_WIN_YES: '',
    }
    expect(resolveReset({'drain-timeout': '1m', purge: false}, environment)).toEqual({
      ...DEFAULTS,
      drain: true,
      drainMs: 60_000,
      keepNode: true,
    })
  })

  test('takes no --drain-timeout without --drain: nothing would wait for it', () => {
    const {problems} = thrownBy(() => resolveReset({'drain-timeout': '10m'}, {}))
    expect(problems.map(({exitCode, fix, id}) => ({exitCode, fix, id}))).toEqual([
      {exitCode: 2, fix: 'Pass --drain-timeout together with --drain.', id: 'BAD_VALUE'},
    ])
    expect(resolveReset({}, {K8S_WIN_DRAIN_TIMEOUT: '10m'})).toMatchObject({drain: false, drainMs: 600_000})
  })

  test('reports everything that is wrong, and where it was given', () => {
    const given = {'drain-timeout': 'soon', 'log-file': 'reset.log', timeout: '0s'}
    try {
      resolveReset(given, {K8S_WIN_PURGE: 'maybe'})
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ProblemsError)
      expect((error as ProblemsError).exitCode).toBe(2)
      expect((error as ProblemsError).problems.map(({message}) => message)).toEqual([
        'K8S_WIN_PURGE must be true or false, not "maybe"',
        '--log-file "reset.log" cannot be used',
        '--drain-timeout "soon" cannot be used',
        '--timeout "0s" cannot be used',
      ])
    }
  })

  test.each(['reset.log', String.raw`\\server\share\reset.log`, 'c:reset.log', 'c:\\logs\\', 'c:\\a.txt:b', ''])(
    'takes no log file %j',
    (file) => expect(() => resolveReset({'log-file': file}, {})).toThrow('--log-file'),
  )

  test('shares these with setup', () => {
    const given = {
      'base-dir': 'c:\\k',
      'dry-run': true,
      release: '1.22.0',
      reset: true,
      timeout: '5m',
      yes: true,
    } as const
    expect(sharedWithReset(given)).toEqual({'dry-run': true, timeout: '5m', yes: true})
  })

  test('shows the defaults it has', () => {
    const shown = Object.fromEntries(
      RESET_OPTIONS.map((option) => [option.flag, 'default' in option && option.default]),
    )
    expect(shown).toMatchObject({drain: 'false', 'drain-timeout': '5m', purge: 'false', timeout: '30m'})
  })
})
