// What each launcher takes for the script in user data, and what it does with an exit code.
import {gzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {azureCse, cloudbaseInit, cloudConfig, ec2launch, gce} from '../../../src/simulator/launchers/emulators.js'
import {emulate} from '../../launchers/emulate.js'
import {takeUserdata, type UserdataLauncher} from '../../../src/simulator/launchers/user-data.js'

const base64 = (content: Buffer | string): string => Buffer.from(content).toString('base64')

const multipart = (name: string, type = 'text/x-shellscript'): string =>
  [
    'Content-Type: multipart/mixed; boundary="b"',
    'MIME-Version: 1.0',
    '',
    '--b',
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment; filename="${name}"`,
    '',
    base64('echo a\r\nexit /b 1\r\n'),
    '--b--',
    '',
  ].join('\n')

const LINES = ['echo a', 'exit /b 1']
const SCRIPT = 'rem cmd\r\necho a\r\nexit /b 1\r\n'
const guestinfo = (value: string, encoding: string): string =>
  `guestinfo.userdata=${value}\nguestinfo.userdata.encoding=${encoding}\n`

describe('the script', () => {
  it.each<[UserdataLauncher, string, string, object]>([
    ['ec2launch', 'its tag', '<script>\r\necho a\r\nexit /b 1\r\n</script>\r\n', {emulator: ec2launch, lines: LINES}],
    ['gce', 'the whole value', 'echo a\r\nexit /b 1\r\n', {emulator: gce, lines: LINES}],
    ['cloudbase-init', 'rem cmd', SCRIPT, {emulator: cloudbaseInit, lines: ['rem cmd', ...LINES]}],
    [
      'cloudbase-init',
      'a cloud-config',
      '#cloud-config\nruncmd:\n  - "echo a"\n  - "exit /b 1"\n',
      {emulator: cloudConfig, lines: ['rem cmd', ...LINES]},
    ],
    ['cloudbase-init', 'a part of a message', multipart('k8s-win.cmd'), {emulator: cloudbaseInit, lines: LINES}],
    [
      'cloudbase-init',
      'guestinfo',
      guestinfo(base64(SCRIPT), 'base64'),
      {emulator: cloudbaseInit, lines: ['rem cmd', ...LINES]},
    ],
    [
      'cloudbase-init',
      'guestinfo, compressed',
      guestinfo(base64(gzipSync(SCRIPT)), 'gzip+base64'),
      {emulator: cloudbaseInit, lines: ['rem cmd', ...LINES]},
    ],
    [
      'azure-cse',
      'its protected settings',
      JSON.stringify({protectedSettings: {commandToExecute: 'echo a'}}),
      {command: 'echo a', emulator: azureCse},
    ],
  ])('%s takes %s', (launcher, _, text, taken) => {
    expect(takeUserdata(launcher, text)).toEqual(taken)
  })

  it.each<[UserdataLauncher, string, string]>([
    ['ec2launch', 'no tag', 'echo a\r\n'],
    ['cloudbase-init', 'a byte order mark', `\uFEFF${SCRIPT}`],
    ['cloudbase-init', 'an empty line before its marker', `\r\n${SCRIPT}`],
    ['cloudbase-init', 'no marker', 'echo a\r\n'],
    ['cloudbase-init', 'a cloud-config without runcmd', '#cloud-config\nhostname: a\n'],
    ['cloudbase-init', 'a part with another name', multipart('k8s-win.txt')],
    ['cloudbase-init', 'a part of another type', multipart('k8s-win.cmd', 'text/plain')],
    ['cloudbase-init', 'an unknown encoding', guestinfo(base64(SCRIPT), 'xz')],
    ['azure-cse', 'public settings', JSON.stringify({settings: {commandToExecute: 'echo a'}})],
  ])('%s: %s is an error, where the launcher would report success', (launcher, _, text) => {
    expect(() => takeUserdata(launcher, text)).toThrow('finds no script')
  })
})

describe('an exit code', () => {
  const [done, failed] = [
    {belief: 'done', restarts: false},
    {belief: 'failed', restarts: false},
  ]
  const restart = {belief: 'unfinished', restarts: true}

  it.each([
    ['cloudbase-init', cloudbaseInit, 1001, {belief: 'done', restarts: true}],
    ['cloudbase-init', cloudbaseInit, 1002, {belief: 'unfinished', restarts: false}],
    ['cloudbase-init', cloudbaseInit, 1003, restart],
    ['cloudbase-init', cloudbaseInit, 1, done],
    ['runcmd', cloudConfig, 1001, restart],
    ['runcmd', cloudConfig, 1002, done],
    ['runcmd', cloudConfig, 1003, restart],
    ['runcmd', cloudConfig, 3, done],
    ['EC2Launch', ec2launch, 3010, restart],
    ['EC2Launch', ec2launch, 1003, failed],
    ["Google's agent", gce, 3010, failed],
    ["Google's agent", gce, 0, done],
  ] as const)('%s: %#', (_, emulator, code, reaction) => {
    expect(emulator.react(code, 0)).toEqual(reaction)
  })

  it('EC2Launch restarts Windows five times at most', async () => {
    expect(
      await emulate(
        ec2launch,
        async () => 3010,
        () => {},
      ),
    ).toEqual({belief: 'failed', restarts: 5, runs: 6})
  })

  it('that is always the same is a loop', async () => {
    const loop = emulate(
      cloudbaseInit,
      async () => 1002,
      () => {},
    )
    await expect(loop).rejects.toThrow('again and again')
  })
})
