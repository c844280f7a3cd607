import {describe, expect, it} from 'vitest'
import {launcherLine, shortVerdict} from '../../../src/output/run/launcher-lines.js'
import {verdictLine} from '../../../src/output/run/verdict.js'
import {plainView} from '../../../src/output/run/plain-view.js'
import type {LauncherReport, RunResultDocument} from '../../../src/pipeline/run/events.js'
import {HandTicker} from '../hand-ticker.js'
import {done, failed, NOW} from './story.js'

const under = (launcher: LauncherReport, result: RunResultDocument = failed): RunResultDocument => ({
  ...result,
  launcher,
})

/** All that an unattended run prints. */
function linesOf(result: RunResultDocument, warnings = 0): string[] {
  let text = ''
  const stream = {write: (part: string) => (text += part)}
  const {listen} = plainView({next: [], now: () => NOW, stream, ticker: new HandTicker().start, verbose: false})
  const at = new Date(NOW).toISOString()
  for (let count = 0; count < warnings; count++)
    listen({at, level: 'warn', message: `warning ${count} ${'\u00FC '.repeat(200)}`, type: 'log'})
  listen({at, result, type: 'run-finished'})
  return text.trimEnd().split('\n')
}

const restarting = (launcher: LauncherReport): RunResultDocument =>
  under(launcher, {...failed, exitCode: 10, outcome: 'restart-required'})

describe('what a launcher does next', () => {
  it.each([
    [
      {attempt: 2, attempts: 3, exitCode: 1002, name: 'cloudbase-init'},
      /1002 \(try 2 of 3\).*at the next start of Windows/,
    ],
    [{exitCode: 0, name: 'azure-cse'}, /not finished/],
    [{attempt: 3, attempts: 3, exitCode: 4, name: 'cloudbase-init'}, /does not run it again/],
  ] as const)('is shown for %o', (launcher, shown) => {
    expect(launcherLine(under(launcher))).toMatch(shown)
  })

  it.each([
    [{attempt: 1, attempts: 3, exitCode: 1003, name: 'cloudbase-init'}, /1003 \(restart 1 of 3\).*restarts Windows/],
    [{attempt: 3, attempts: 3, exitCode: 3010, name: 'ssm'}, /3010 \(restart 3 of 3\).*restarts Windows/],
    [{attempt: 3, attempts: 3, exitCode: 10, name: 'ec2launch-v1'}, /10 \(restart 3 of 3\)$/],
    [{attempt: 2, attempts: 3, exitCode: 0, name: 'azure-cse'}, /0 \(restart 2 of 3\).*not finished/],
  ] as const)('about a restart is shown for %o', (launcher, shown) => {
    expect(launcherLine(restarting(launcher))).toMatch(shown)
  })

  it('is not shown where it gets the exit code of the document, or where there is none', () => {
    expect(launcherLine(under({exitCode: 4, name: 'ssm'}))).toBeUndefined()
    expect(launcherLine(failed)).toBeUndefined()
  })
})

describe('the verdict of a restart', () => {
  const error = {...failed.error, id: 'RESTART_REQUIRED'} as NonNullable<RunResultDocument['error']>

  it.each([
    [
      'the launcher restarts Windows',
      {exitCode: 3010, name: 'ssm'},
      {},
      /; ssm restarts Windows and runs setup again$/,
    ],
    [
      'with its count',
      {attempt: 1, attempts: 3, exitCode: 1003, name: 'cloudbase-init'},
      {},
      /; cloudbase-init restarts Windows and runs setup again$/,
    ],
    ['nothing restarts it', {exitCode: 10, name: 'ec2launch'}, {}, /; restart Windows, then run/],
    [
      'a service continues',
      {exitCode: 0, name: 'azure-cse'},
      {continuesAfterRestart: true},
      /; restart Windows; the run/,
    ],
    [
      'k8s-win restarts it',
      {attempt: 2, attempts: 3, exitCode: 10, name: 'ec2launch-v1'},
      {restartsIn: 30},
      /; Windows restarts in 30 s; then/,
    ],
  ] as const)('where %s', (_, launcher, more, shown) => {
    const line = verdictLine({...restarting(launcher), error, ...more})
    expect(line).toMatch(/exit code 10, RESTART_REQUIRED; /)
    expect(line).toMatch(shown)
    // With its time it fits into the last line.
    expect(line.length).toBeLessThanOrEqual(95)
  })
})

describe('under azure-cse', () => {
  const report = {exitCode: 4, name: 'azure-cse'} as const

  it('the last line has the outcome, the ID and the fix in at most 240 ASCII characters', () => {
    const last = linesOf(under(report)).at(-1) ?? ''
    expect(last).toMatch(/^setup failed \(4\): DOWNLOAD_FAILED\. \w/)
    const error = {...failed.error, fix: '\u201Cfix\u201D \u2713 '.repeat(100)} as NonNullable<
      RunResultDocument['error']
    >
    const long = linesOf(under(report, {...failed, error, errors: [error]})).at(-1) ?? ''
    expect(long).toMatch(/^[\u0020-\u007E]{1,240}$/)
    expect(long).toContain('DOWNLOAD_FAILED')
  })

  it('the last 4,096 bytes of a long run have it too', () => {
    const text = `${linesOf(under(report), 300).join('\n')}\n`
    const kept = text.slice(-4096)
    expect(text.length).toBeGreaterThan(20_000)
    for (const part of ['DOWNLOAD_FAILED', 'exit code 4', 'Fix: ']) expect(kept).toContain(part)
    expect(text).toMatch(/^[\n\u0020-\u007E]*$/)
  })

  it('a success is one too', () => {
    expect(shortVerdict(under({exitCode: 0, name: 'azure-cse'}, done), (text) => text)).toMatch(/^setup done in /)
  })
})
