// Commands in messages: as typed for this host and base directory, so that a copied one does not act elsewhere.
import {afterEach, describe, expect, test} from 'vitest'
import {redactor} from '../../../src/cli/redactor.js'
import {
  commandTyper,
  hintLike,
  startedAs,
  startedHere,
  withTypedCommands,
} from '../../../src/cli/arguments/typed-commands.js'
import {temporaryFolder} from '../../steps/rig.js'
import {k8sWin} from '../program.js'

describe('a command for the same node', () => {
  test('is as short as it can be', () => {
    expect(commandTyper('k8s-win', {}, 'win32')('setup', undefined)).toBe('k8s-win setup')
  })

  test('names the folder and the simulated machine, in quotes where a shell needs them', () => {
    const flags = {simulate: 'ws2019', 'simulate-dir': '/tmp/a b'}
    expect(commandTyper('node bin/run.js', flags, 'linux')('logs kubelet', String.raw`D:\k`)).toBe(
      String.raw`node bin/run.js logs kubelet --base-dir "D:\k" --simulate ws2019 --simulate-dir "/tmp/a b"`,
    )
    expect(commandTyper('k8s-win', {}, 'win32')('setup', String.raw`D:\k`)).toBe(
      String.raw`k8s-win setup --base-dir D:\k`,
    )
  })
})

afterEach(() => hintLike([], 'linux'))

test('nothing is added where nothing was named', () => {
  hintLike(['--json'], 'win32')
  expect(withTypedCommands('Run "k8s-win setup" again.')).toBe('Run "k8s-win setup" again.')
})

test('the flags of a simulated machine, once, also with arguments of its own', () => {
  hintLike(['--simulate=ws2019', '--simulate-dir=/tmp/x'], 'linux')
  const text = redactor.redact('Run "k8s-win logs kubelet", then "k8s-win setup".')
  const flags = '--simulate ws2019 --simulate-dir /tmp/x'
  expect(text).toBe(`Run "${startedHere()} logs kubelet ${flags}", then "${startedHere()} setup ${flags}".`)
  expect(redactor.redact(text)).toBe(text)
})

test('a base directory, unless the hint names one', () => {
  hintLike([String.raw`--base-dir=D:\k`], 'win32')
  const text = withTypedCommands('Run "k8s-win setup" again.')
  expect(text).toBe(String.raw`Run "k8s-win setup --base-dir D:\k" again.`)
  expect(withTypedCommands(text)).toBe(text)
})

test('a base directory that the hint names, on a simulated machine', () => {
  hintLike(['--simulate=ws2019', String.raw`--base-dir=D:\k`], 'win32')
  const text = withTypedCommands(
    String.raw`Run "k8s-win status --base-dir E:\k", or 'k8s-win reset --base-dir "E:\k"'.`,
  )
  const flags = '--simulate ws2019'
  expect(text).toBe(
    String.raw`Run "${startedHere()} status --base-dir E:\k ${flags}", or '${startedHere()} reset --base-dir "E:\k" ${flags}'.`,
  )
  expect(withTypedCommands(text)).toBe(text)
})

test('review P3-5: the hint to verify is completed as every other, with a kubeconfig to be filled in', () => {
  hintLike(['--simulate=ws2025', '--simulate-dir=/tmp/x'], 'linux')
  const text = withTypedCommands('an administrator can: "k8s-win verify --kubeconfig <file>"')
  expect(text).toMatch(/"\S.* verify --kubeconfig <file> --simulate ws2025 --simulate-dir \/tmp\/x"$/)
  const elsewhere = withTypedCommands(String.raw`can: 'k8s-win verify --base-dir "D:\k" --kubeconfig <file>'`)
  expect(elsewhere).toContain(String.raw`verify --base-dir "D:\k" --kubeconfig <file> --simulate ws2025`)
})

test('review W3-5: the fix of a failed verify has the kubeconfig that was passed, and no other command has', () => {
  const fix = 'Then run "k8s-win verify --kubeconfig <file>".'
  hintLike([String.raw`--kubeconfig=C:\my files\admin.conf`], 'win32', 'verify')
  expect(withTypedCommands(fix)).toBe(String.raw`Then run 'k8s-win verify --kubeconfig "C:\my files\admin.conf"'.`)
  hintLike([String.raw`--kubeconfig=C:\node.conf`], 'win32', 'setup')
  expect(withTypedCommands(fix)).toBe(fix)
})

test('a folder with blanks: quotes within others', () => {
  hintLike([String.raw`--base-dir=D:\my node`], 'win32')
  const text = withTypedCommands('Follow it: "k8s-win attach".')
  expect(text).toBe(String.raw`Follow it: 'k8s-win attach --base-dir "D:\my node"'.`)
  expect(withTypedCommands(text)).toBe(text)
})

test('a fix that the program prints can be copied', async () => {
  const dir = temporaryFolder()
  const {stdout} = await k8sWin(['logs', '--json', '--simulate', 'ws2019', '--simulate-dir', dir])
  expect(stdout).toContain(`node bin/run.js setup --simulate ws2019 --simulate-dir ${dir}`)
})

test('in JSON, whose quotes have backslashes, stays as it is: it would no longer be JSON', () => {
  hintLike([String.raw`--base-dir=D:\k`], 'win32')
  for (const hint of ['"k8s-win upgrade --release 1.36.4 --drain"', String.raw`'k8s-win reset --base-dir "C:\k"'`]) {
    const line = JSON.stringify({fix: `Run ${hint}.`})
    expect(withTypedCommands(line)).toBe(line)
  }
})

describe('review V12: a command for a simulated host', () => {
  const windows = {
    argv0: 'node',
    cwd: String.raw`C:\work`,
    execPath: String.raw`C:\Program Files\nodejs\node.exe`,
    isSingle: false,
    platform: 'win32',
    script: String.raw`C:\work\bin\run.js`,
  } as const
  const linux = {
    ...windows,
    cwd: '/srv',
    execPath: '/usr/bin/node',
    platform: 'linux',
    script: '/srv/bin/run.js',
  } as const

  test.each([
    ['k8s-win', 'k8s-win'],
    [String.raw`.\k8s-win.exe`, String.raw`.\k8s-win.exe`],
    [String.raw`C:\my tools\k8s-win.exe`, String.raw`"C:\my tools\k8s-win.exe"`],
  ])('begins with k8s-win.exe as it was typed: %s', (argv0, expected) => {
    expect(startedAs({...windows, argv0, isSingle: true})).toBe(expected)
  })

  test('review P3-3: begins as k8s-win was started, never with npx', () => {
    const zip = String.raw`C:\Program Files\k8s-win`
    const zipped = {execPath: String.raw`${zip}\node.exe`, script: String.raw`${zip}\bin\run.js`}
    expect([
      startedAs(windows),
      startedAs({...windows, ...zipped}),
      startedAs(linux),
      startedAs({...linux, cwd: '/'}),
      startedAs({...linux, cwd: '/home/u'}),
      startedAs({...linux, script: '/usr/local/bin/k8s-win'}),
      startedAs({...linux, cwd: '/home/u', script: '/home/u/.npm/_npx/1/node_modules/.bin/k8s-win'}),
    ]).toEqual([
      String.raw`node bin\run.js`,
      String.raw`"C:\Program Files\k8s-win\k8s-win.cmd"`,
      'node bin/run.js',
      'node srv/bin/run.js',
      'node /srv/bin/run.js',
      'k8s-win',
      'node .npm/_npx/1/node_modules/.bin/k8s-win',
    ])
  })

  test('is not completed twice', () => {
    hintLike(['status', '--simulate=ws2019'], 'win32')
    expect(withTypedCommands('Run "k8s-win setup --simulate ws2019".')).not.toMatch(/simulate.*simulate/)
  })
})
