import {readdir, readFile} from 'node:fs/promises'
import {describe, expect, test} from 'vitest'
import packageDocument from '../../package.json' with {type: 'json'}
import {variableWarnings} from '../../src/cli/arguments/run-command-line.js'
import {OPTIONS} from '../../src/config/options/options.js'
import type {RunResultDocument, TimedEvent} from '../../src/pipeline/run/events.js'
import {k8sWin} from './program.js'

describe('version', () => {
  test.each(['--version', '-Version'])('%s', async (flag) => {
    const {code, stderr, stdout} = await k8sWin([flag])
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(stdout).toBe(
      `k8s-win/${packageDocument.version} ${process.platform}-${process.arch} node-${process.version}\n`,
    )
  })

  test('is reported without loading oclif', async () => {
    const main = await readFile(new URL('../../dist/cli/main.js', import.meta.url), 'utf8')
    expect(main).toContain('import("../run-command-line')
    expect(main).not.toMatch(/from\s*"\.\.\/(?!chunk)/)
    expect(main).not.toContain('oclif/core/lib')
  })
})

describe('help', () => {
  const first = [[], ['--help'], ['/?'], ['-?'], ['-h'], ['-Help'], ['help']]
  test.each(first.map((args) => ({args})))('k8s-win $args shows the first page', async ({args}) => {
    const {code, stderr, stdout} = await k8sWin(args)
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    for (const name of ['doctor', 'logs', 'reset', 'setup', 'status', 'upgrade'])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  const setup = [
    ['setup', '--help'],
    ['setup', '/?'],
    ['setup', '-?'],
    ['help', 'setup'],
    ['setup', '-BaseDir', 'x', '/?'],
  ]
  test.each(setup.map((args) => ({args})))('k8s-win $args shows the page of setup', async ({args}) => {
    const {code, stderr, stdout} = await k8sWin(args)
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(stdout).toContain('--base-dir=<folder>')
    expect(stdout).toContain('K8S_WIN_BASE_DIR')
    expect(stdout).toContain('EXAMPLES')
    // An example is to be copied, whole.
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('    $ '))).toEqual([])
  })

  test('review U9: common flags come first, the rest with --help-all; examples are written like the flags', async () => {
    const [common, all] = await Promise.all([k8sWin(['setup', '--help']), k8sWin(['setup', '-HelpAll'])])
    expect(common.stdout).toContain('-o, --output=<format>')
    expect(all.stdout).toContain('-o, --output=text|json|ndjson')
    expect(common.stdout).toContain('"k8s-win setup --help-all"')
    // Whoever lets a launcher run it has to find these.
    for (const flag of ['allow-restart', 'detach', 'enable-features', 'launcher'])
      expect(common.stdout).toContain(`--${flag}`)
    expect(common.stdout).not.toContain('--flannel-version')
    expect(common.stdout.match(/^ {2}--[a-z-]+/gm)?.length).toBeLessThan(22)
    for (const {flag} of OPTIONS) expect(all.stdout).toContain(`\n  --${flag}`)
    expect(all.stdout.indexOf('--dry-run')).toBeLessThan(all.stdout.indexOf('--flannel-version'))
    const pages = await Promise.all(
      ['setup', 'upgrade', 'reset', 'status', 'doctor', 'logs'].map((id) => k8sWin(['help', id])),
    )
    for (const {stdout} of pages) expect(stdout.match(/^ {4}\$ .* -[A-Z]\w+/m)).toBeNull()
  })

  test('review U2-21: the first page has at most 40 rows of 80 columns; no example is continued with a backslash', async () => {
    const {stdout} = await k8sWin(['setup', '--help'])
    const rows = stdout.trimEnd().split('\n')
    expect(rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / 80)), 0)).toBeLessThanOrEqual(40)
    expect(rows.filter((row) => row.startsWith('    $ '))).toHaveLength(3)
    const folder = new URL('../../dist/help/', import.meta.url)
    for (const name of await readdir(folder)) expect(await readFile(new URL(name, folder), 'utf8')).not.toMatch(/\\$/m)
  })

  test('a pipe that nothing reads is not a failure', async () => {
    const {spawn} = await import('node:child_process')
    const child = spawn(process.execPath, ['bin/run.js', 'setup', '--help'], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
  })
})

describe('usage errors', () => {
  const cases = [
    {args: ['setup', '-BaseDri', String.raw`c:\k`], code: 2, id: 'UNKNOWN_FLAG', says: 'Did you mean -BaseDir?'},
    {args: ['setup', '--base-dir'], code: 2, id: 'MISSING_VALUE', says: 'Write --base-dir <folder>.'},
    {args: ['setup', '--output', 'xml'], code: 2, id: 'BAD_CHOICE', says: 'text, json, ndjson'},
    {args: ['setup', 'now'], code: 2, id: 'UNEXPECTED_ARGUMENT', says: '"now"'},
    {args: ['report', 'a.html', 'b.html'], code: 2, id: 'UNEXPECTED_ARGUMENT', says: '"b.html"'},
    {args: ['stup'], code: 2, id: 'UNKNOWN_COMMAND', says: 'Did you mean "k8s-win setup"?'},
    {args: ['help', 'stup'], code: 2, id: 'UNKNOWN_COMMAND', says: 'Did you mean "k8s-win setup"?'},
    {args: ['../setup', '--help'], code: 2, id: 'UNKNOWN_COMMAND', says: '"../setup"'},
    {args: ['-BaseDir', 'x'], code: 2, id: 'MISSING_COMMAND', says: 'k8s-win setup -BaseDir'},
    {
      args: ['setup', '--simulate', 'ws2099'],
      code: 2,
      id: 'BAD_CHOICE',
      says: 'Choose one of: ws2019, ws2019-containerd, ws2022, ws2022-containerd, ws2025.',
    },
  ]

  test.each(cases)('$args: $id as text', async ({args, code, id, says}) => {
    const ended = await k8sWin(args)
    expect(ended.code).toBe(code)
    expect(ended.stdout).toBe('')
    expect(ended.stderr).toMatch(
      /^Error: .+\n {2}Cause: .+\n {2}Fix: .+\n {2}ID: ([A-Z_]+)\n\S+ failed with exit code \d: \1\n$/s,
    )
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).toContain(`  ID: ${id}\n`)
  })

  test('a second word of report that looks like a flag', async () => {
    const {code, stderr} = await k8sWin(['report', '--', 'a.html', '-x.html'])
    expect(code).toBe(2)
    expect(stderr).toContain('Unexpected argument "-x.html"')
  })

  test.each(cases)('$args: $id as JSON', async ({args, code, id}) => {
    const ended = await k8sWin([...args, '--json'])
    expect(ended.code).toBe(code)
    const result = JSON.parse(ended.stdout) as RunResultDocument
    expect(result).toMatchObject({
      checks: [],
      error: {id},
      exitCode: code,
      outcome: 'failed',
      schemaVersion: 1,
      steps: [],
    })
    expect(ended.stderr).toContain('Error: ')
  })

  test('as a line of JSON', async () => {
    const {code, stdout} = await k8sWin(['setup', '--nope', '-Output', 'ndjson'])
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as TimedEvent)
    expect(code).toBe(2)
    expect(lines).toMatchObject([{result: {error: {id: 'UNKNOWN_FLAG'}}, type: 'run-finished'}])
  })

  test('review U11: a variable that is mistyped gets a warning with the nearest name', async () => {
    const {code, stderr, stdout} = await k8sWin(['explain', 'disk', '--json'], {
      K8S_WIN_BASEDIR: 'x',
      K8S_WIN_BASE_DIR: 'x',
      K8S_WIN_QQQQQQQQ: 'secret',
    })
    expect([code, stderr.split('\n')]).toEqual([
      0,
      [
        'Warning: the environment variable K8S_WIN_BASEDIR is not known and was ignored. Did you mean K8S_WIN_BASE_DIR?',
        'Warning: the environment variable K8S_WIN_QQQQQQQQ is not known and was ignored.',
        '',
      ],
    ])
    expect(JSON.parse(stdout)).toMatchObject({id: 'disk'})
    expect(variableWarnings({k8s_win_base_dir: 'x'}, 'win32')).toEqual([])
    expect(variableWarnings({k8s_win_base_dir: 'x'}, 'linux')).toHaveLength(1)
  })

  test('all of them at once', async () => {
    const {stdout} = await k8sWin(['setup', '--one-flag', '-TwoFlag', '--json'])
    expect((JSON.parse(stdout) as RunResultDocument).errors).toMatchObject([
      {message: 'Unknown flag --one-flag'},
      {message: 'Unknown flag -TwoFlag'},
    ])
  })

  test('the environment can be wrong too', async () => {
    const {code, stderr} = await k8sWin(['setup'], {K8S_WIN_SIMULATE: 'ws2099'})
    expect(code).toBe(2)
    expect(stderr).toContain('ws2019')
  })

  test.runIf(process.platform !== 'win32')('not Windows and not --simulate', async () => {
    const {code, stderr} = await k8sWin(['setup'])
    expect(code).toBe(3)
    expect(stderr).toContain('--simulate ws2025')
    expect(stderr).toContain('NOT_WINDOWS')
  })
})
