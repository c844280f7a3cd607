// --simulate: which kinds of host there are, and a folder that holds another one or none that can be read.
import {existsSync} from 'node:fs'
import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {chooseMachine, chooseReader} from '../../src/cli/choose-machine.js'
import {globalFlags} from '../../src/cli/arguments/flag-table.js'
import {PROFILES, profileNamed} from '../../src/simulator/profiles/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {temporaryFolder} from '../steps/rig.js'
import {k8sWin} from './program.js'

test('the help names every kind of host', () => {
  for (const profile of Object.keys(PROFILES)) expect(globalFlags.simulate.summary).toContain(profile)
})

test('one that does not exist is refused, with those that do', async () => {
  await expect(chooseMachine({simulate: 'ws2016'}, 'linux')).rejects.toMatchObject({
    exitCode: 2,
    fix: expect.stringContaining(Object.keys(PROFILES).join(', ')) as string,
    id: 'BAD_CHOICE',
  })
})

test('a folder without a name is refused as that', async () => {
  await expect(chooseMachine({simulate: 'ws2019', 'simulate-dir': ' '}, 'linux')).rejects.toMatchObject({
    fix: 'Set --simulate-dir to the path of a folder.',
    id: 'BAD_VALUE',
    reason: 'It is empty.',
  })
})

test.each(['fast', '-1', '', '1e3', '1001', '0.001', 'Infinity'])(
  'review U2-10: a speed that is not one is refused: %j',
  async (speed) => {
    const flags = {simulate: 'ws2025', 'simulate-dir': temporaryFolder(), 'simulate-speed': speed}
    await expect(chooseMachine(flags, 'linux')).rejects.toMatchObject({exitCode: 2, id: 'BAD_VALUE'})
  },
)

test('review U2-10: a speed without a kind of host is refused', async () => {
  await expect(chooseMachine({'simulate-speed': '1'}, 'linux')).rejects.toMatchObject({exitCode: 2, id: 'BAD_VALUE'})
})

describe('a folder without a kind of host, by its flag or its variable, never means this machine', () => {
  const refused = {
    exitCode: 2,
    fix: expect.stringMatching(
      /^Set --simulate to ws2019, .* or remove --simulate-dir and K8S_WIN_SIMULATE_DIR/,
    ) as string,
    id: 'BAD_VALUE',
    message: '--simulate-dir "here" cannot be used',
  }

  test.each(['linux', 'win32'] as const)('on %s', async (platform) => {
    await expect(chooseMachine({'simulate-dir': 'here'}, platform)).rejects.toMatchObject(refused)
    await expect(chooseReader({'simulate-dir': 'here'}, platform)).rejects.toMatchObject(refused)
  })
})

test.each(['ia32', 'arm64'])(
  'review N5: a Node.js for %s is refused on Windows before anything is called',
  async (arch) => {
    await expect(chooseMachine({}, 'win32', true, arch)).rejects.toMatchObject({exitCode: 3, id: 'NODE_NOT_64_BIT'})
    await expect(chooseMachine({}, 'win32', true, 'x64')).resolves.toHaveProperty('machine')
  },
)

describe('a folder that cannot be used', () => {
  test.each([
    [
      'holds another kind of host',
      async (dir: string) => void (await openSimulator({dir, profile: 'ws2019'})),
      /a simulated ws2019/,
    ],
    ['is in a file', (dir: string) => writeFile(join(dir, 'file'), ''), /ENOTDIR/, 'file/x'],
    ['is a file', (dir: string) => writeFile(join(dir, 'file'), ''), /ENOTDIR/, 'file'],
    ['holds something else', (dir: string) => writeFile(join(dir, 'machine.json'), '{'), /machine\.json/],
    [
      'holds a time that no clock can show',
      async (dir: string) => {
        await writeFile(join(dir, 'machine.json'), JSON.stringify(profileNamed('ws2022').makeWorld(9e18)))
      },
      /os\.time: expected a number from 0 to \d+, found 9000000000000000000/,
    ],
  ])('%s', async (_, make, reason, inside = '') => {
    const folder = temporaryFolder()
    await make(folder)
    const dir = join(folder, inside)
    await expect(chooseMachine({simulate: 'ws2022', 'simulate-dir': dir}, 'linux')).rejects.toMatchObject({
      exitCode: 3,
      // It may be a user's own folder: no message asks to remove it.
      fix: 'Fix the cause, or pass a new folder to --simulate-dir: a new machine is created in it.',
      id: 'SIMULATOR_UNUSABLE',
      message: `The simulated machine in ${dir} cannot be used`,
      reason: expect.stringMatching(reason) as string,
    })
  })
})

describe("a folder of somebody's own", () => {
  test.each([
    ['changes', false],
    ['only reads', true],
  ])('review U2-2: is refused by a command that %s, and nothing in it is touched', async (_, looksOnly) => {
    const dir = temporaryFolder()
    await writeFile(join(dir, 'admin.kubeconfig'), 'mine')
    const refused = chooseMachine({simulate: 'ws2019', 'simulate-dir': dir}, 'linux', looksOnly)
    await expect(refused).rejects.toMatchObject({exitCode: 2, id: 'BAD_VALUE'})
    expect(await readdir(dir)).toEqual(['admin.kubeconfig'])
    expect(await readFile(join(dir, 'admin.kubeconfig'), 'utf8')).toBe('mine')
  })

  test.runIf(process.platform === 'linux').each(['/etc', '/proc', process.cwd()])('review U2-2: is %s', async (dir) => {
    await expect(chooseMachine({simulate: 'ws2019', 'simulate-dir': dir}, 'linux')).rejects.toMatchObject({exitCode: 2})
  })

  test('review U2-2: a new host in an empty folder is found again', async () => {
    const dir = temporaryFolder()
    for (const _ of [1, 2]) await chooseMachine({simulate: 'ws2019', 'simulate-dir': dir}, 'linux')
    expect(await readdir(dir)).toEqual(expect.arrayContaining(['admin.kubeconfig', 'c', 'machine.json']))
  })
})

test('review U2-2: a command that only reads has a new host in memory where the folder does not exist', async () => {
  const dir = join(temporaryFolder(), 'new', 'host')
  const {machine} = await chooseMachine({simulate: 'ws2025', 'simulate-dir': dir}, 'linux', true)
  expect((await machine.files.status(String.raw`C:\k\kubeconfig`))?.kind).toBe('file')
  expect(await machine.files.list(String.raw`C:\k`)).toEqual(['kubeconfig'])
  await machine.files.write(String.raw`C:\k\new`, 'x')
  expect(String(await machine.files.read(String.raw`C:\k\new`))).toBe('x')
  expect(existsSync(join(dir, '..'))).toBe(false)
})

test.each([
  ['doctor', 0],
  ['status', 9],
  ['config show', 0],
  ['setup --dry-run', 0],
  ['reset --dry-run', 0],
  ['logs', 9],
  ['attach', 9],
])('review U2-2: %s writes nothing there', async (command, code) => {
  const dir = join(temporaryFolder(), 'new')
  const ended = await k8sWin(command.split(' '), {K8S_WIN_SIMULATE: 'ws2025', K8S_WIN_SIMULATE_DIR: dir})
  expect({...ended, code: ended.code}).toMatchObject({code})
  expect(existsSync(dir)).toBe(false)
})

// Node's own recursive mkdir does not come back from there: the test would hang.
test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y'])(
  'a folder that takes nothing new is no place for a host: %s',
  async (dir) => {
    await expect(chooseMachine({simulate: 'ws2019', 'simulate-dir': dir}, 'linux')).rejects.toMatchObject({
      exitCode: 3,
      id: 'SIMULATOR_UNUSABLE',
      reason: expect.stringContaining(`mkdir '/proc/`) as string,
    })
  },
)
