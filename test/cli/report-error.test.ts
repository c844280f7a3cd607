import {expect, test} from 'vitest'
import {reportError, reportLostOutput} from '../../src/cli/report-error.js'
import {kubeconfigMissing} from '../../src/errors/cluster.js'
import {badValue} from '../../src/errors/input.js'
import {ProblemsError} from '../../src/errors/k8s-win-error.js'
import {bug} from '../../src/errors/program.js'
import {missingValue, unknownCommand, unknownFlag} from '../../src/errors/usage.js'
import {DeadlineError} from '../../src/machine/clock.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'

function report(
  error: unknown,
  options: {command?: string; format?: 'json' | 'ndjson' | 'text'; isTTY?: boolean; verbose?: boolean} = {},
) {
  const written = {stderr: '', stdout: ''}
  const exitCode = reportError(error, {
    command: options.command ?? 'setup',
    format: options.format ?? 'text',
    now: () => 5000,
    simulated: false,
    startedAt: 2000,
    stderr: {isTTY: options.isTTY, write: (text) => (written.stderr += text)},
    stdout: {write: (text) => (written.stdout += text)},
    verbose: options.verbose ?? false,
  })
  return {...written, exitCode}
}

test('one error: what, why, what to do, where to read more', () => {
  expect(report(missingValue({flag: '-BaseDir', value: '<folder>'}))).toMatchInlineSnapshot(`
    {
      "exitCode": 2,
      "stderr": "Error: -BaseDir has no value
      Cause: The flag requires a value.
      Fix: Write -BaseDir <folder>.
      ID: MISSING_VALUE
    setup failed with exit code 2: MISSING_VALUE
    ",
      "stdout": "",
    }
  `)
})

test('what was interrupted, or took too long, is no bug', () => {
  const codeOf = (error: unknown) => {
    const {exitCode, stdout} = report(error, {command: 'userdata', format: 'json'})
    return {...(JSON.parse(stdout) as RunResultDocument), exitCode}
  }
  expect(codeOf(new InterruptedError())).toMatchObject({
    error: {id: 'INTERRUPTED'},
    exitCode: 130,
    outcome: 'interrupted',
  })
  expect(codeOf(new DeadlineError(60_000))).toMatchObject({error: {id: 'DEADLINE_PASSED'}, exitCode: 6})
})

test('several are all listed, and the gravest decides', () => {
  const problems = [unknownFlag({command: 'setup', flag: '-a', suggestion: ''}), bug({log: 'x', message: 'y'})]
  const {exitCode, stderr} = report(new ProblemsError(problems))
  expect(exitCode).toBe(1)
  expect(stderr.match(/^Error: /gm)).toHaveLength(2)
})

test('without a terminal the last line is the verdict, with every ID; a terminal shows the errors just above', () => {
  const problems = [
    unknownFlag({command: 'setup', flag: '-a', suggestion: ''}),
    missingValue({flag: '--token', value: '<token>'}),
  ]
  const {stderr} = report(new ProblemsError(problems))
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^setup failed with exit code 2: UNKNOWN_FLAG, MISSING_VALUE$/)
  expect(report(new ProblemsError(problems), {isTTY: true}).stderr).not.toContain('exit code 2')
  const {stdout} = report(new ProblemsError(problems), {format: 'json'})
  expect(JSON.parse(stdout)).toMatchObject({errors: [{id: 'UNKNOWN_FLAG'}, {id: 'MISSING_VALUE'}]})
})

test('a bug says that it is one, and shows its stack only with --verbose', () => {
  const error = new TypeError('x is not a function')
  const quiet = report(error)
  expect(quiet.exitCode).toBe(1)
  expect(quiet.stderr).toContain('Error: This is a bug in k8s-win')
  expect(quiet.stderr).toContain('Cause: x is not a function')
  expect(quiet.stderr).not.toContain(' at ')
  expect(report(error, {verbose: true}).stderr).toContain('report-error.test.ts')
})

test('of logs also a failure is one line', () => {
  const {stdout} = report(missingValue({flag: '--tail', value: '<n>'}), {command: 'logs', format: 'json'})
  expect(stdout).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(stdout)).toMatchObject({command: 'logs', exitCode: 2})
})

test('output that is lost: only setup and reset leave a result elsewhere', () => {
  let told = ''
  expect(reportLostOutput('ENOSPC', {columns: 500, write: (text) => (told += text)})).toBe(5)
  expect(told.replaceAll(/\s+/g, ' ')).toContain('redirect the output, and run the same command again')
  expect(told.replaceAll(/\s+/g, ' ')).toContain('verify is also in')
})

test('the document of a failure', () => {
  const {stdout} = report(missingValue({flag: '-BaseDir', value: '<folder>'}), {format: 'json'})
  expect(JSON.parse(stdout) as RunResultDocument).toEqual({
    changesPending: false,
    checks: [],
    command: 'setup',
    durationMs: 3000,
    error: expect.objectContaining({id: 'MISSING_VALUE'}) as unknown,
    errors: [expect.objectContaining({id: 'MISSING_VALUE'})],
    exitCode: 2,
    finishedAt: '1970-01-01T00:00:05.000Z',
    outcome: 'failed',
    recap: {changed: 0, failed: 0, ok: 0, skipped: 0},
    schemaVersion: 1,
    simulated: false,
    startedAt: '1970-01-01T00:00:02.000Z',
    steps: [],
  })
})

test('secrets are hidden, in text, document and stack', () => {
  const error = new Error('GET https://me:hunter2@host/ with Bearer abcdefgh12345678 failed')
  for (const format of ['text', 'json', 'ndjson'] as const) {
    const {stderr, stdout} = report(error, {format, verbose: true})
    expect(stderr + stdout).not.toMatch(/hunter2|abcdefgh1234/)
  }
})

test('without a terminal the stack of a bug has ASCII lines of at most 120 columns', () => {
  const {stderr} = report(new Error(`K\u00FCber ${'x'.repeat(300)}`), {verbose: true})
  const lines = stderr.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7E]{0,120}$/)
  expect(stderr).toContain('    at ')
})

test('without a terminal it is pure ASCII', () => {
  const {stderr} = report(missingValue({flag: '-BaseDir', value: 'C:\\Küber\n“x”'}))
  expect(stderr).toMatch(/^[\n\x20-\x7E]*$/)
  expect(stderr).toContain(String.raw`C:\K\u00fcber`)
})

test('review R2-9: a working folder that was deleted is reported as that', () => {
  const gone = Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), {
    code: 'ENOENT',
    syscall: 'uv_cwd',
  })
  const {exitCode, stderr} = report(gone)
  expect({exitCode, isNamed: stderr.includes('WORKING_FOLDER_MISSING')}).toEqual({exitCode: 3, isNamed: true})
})

const LONG = 'x'.repeat(100_000)
test.each([
  ['a flag', unknownFlag({command: 'setup', flag: `--${LONG}`, suggestion: ''}), 'setup'],
  ['a command', unknownCommand({command: LONG, suggestion: ''}), LONG],
  ['a value', badValue({flag: 'a', reason: `"${LONG}" is long.`, value: LONG, wanted: 'b', where: '--a'}), 'setup'],
  ['a path', kubeconfigMissing({flag: 'kubeconfig', path: String.raw`C:\${LONG}`}), 'setup'],
])('review R2-9: %s of 100 KB is shown in part', (_, error, command) => {
  const {stderr} = report(error, {command})
  expect(stderr.length).toBeLessThan(1500)
  expect(error.message.length).toBeLessThan(400)
})
