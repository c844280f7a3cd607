// netsh, taskkill and the rest as programs: exit codes and texts.
import {beforeEach, describe, expect, it} from 'vitest'

import type {RunResult} from '../../../src/machine/run.js'
import {ProgramNotFoundError} from '../../../src/machine/run.js'
import {runProgram} from '../../../src/simulator/programs/index.js'
import type {TestNode} from '../node.js'
import {makeNode, withNetwork} from '../node.js'

const NETSH = String.raw`C:\Windows\System32\netsh.exe`
const TASKKILL = String.raw`C:\Windows\System32\taskkill.exe`
let node: TestNode
beforeEach(async () => void (node = await makeNode()))

const run = (program: string, args: readonly string[]): Promise<RunResult> =>
  runProgram(node.stage, program, args, {deadlineMs: 1000, effect: 'change'})
const rule = (verb: string, ...words: string[]): Promise<RunResult> =>
  run(NETSH, ['advfirewall', 'firewall', verb, 'rule', ...words])
const RULE = [
  'name=k8s-win kubelet TCP 10250',
  'dir=in',
  'action=allow',
  'protocol=TCP',
  'localport=10250',
  'description=Made by k8s-win',
]

describe('netsh', () => {
  it('adds and deletes a rule', async () => {
    expect(await rule('add', ...RULE)).toMatchObject({exitCode: 0, stdout: 'Ok.\r\n\r\n'})
    expect(node.stage.world.firewall['k8s-win kubelet TCP 10250']).toEqual([
      {
        action: 'allow',
        description: 'Made by k8s-win',
        direction: 'in',
        enabled: true,
        localPort: '10250',
        name: 'k8s-win kubelet TCP 10250',
        profiles: 'any',
        protocol: 'TCP',
      },
    ])
    await rule('add', ...RULE)
    expect(await rule('delete', RULE[0] ?? '')).toMatchObject({
      exitCode: 0,
      stdout: '\r\nDeleted 2 rule(s).\r\nOk.\r\n\r\n',
    })
    expect(await rule('delete', RULE[0] ?? '')).toMatchObject({
      exitCode: 1,
      stdout: '\r\nNo rules match the specified criteria.\r\n\r\n',
    })
  })

  it('deletes only what all words fit', async () => {
    await rule('add', ...RULE)
    expect((await rule('delete', RULE[0] ?? '', 'protocol=UDP')).exitCode).toBe(1)
    expect((await rule('delete', RULE[0] ?? '', 'protocol=tcp', 'dir=in')).exitCode).toBe(0)
  })

  it.each([
    [['name=x', 'dir=up', 'action=allow', 'protocol=TCP', 'localport=1']],
    [['name=x', 'dir=in', 'protocol=TCP', 'localport=1']],
    [['name=x', 'dir=in', 'action=allow', 'protocol=TCP', 'localport=70000']],
    [['name=x', 'dir=in', 'action=allow', 'protocol=TCP', 'localport=http']],
    [['name=all', 'dir=in', 'action=allow', 'protocol=TCP', 'localport=1']],
    [['name=x', 'dir=in', 'action=allow', 'protocol=TCP', 'localport=1', 'profile=home']],
    [['name=x', 'dir=in', 'action=allow', 'group=k8s-win']],
    [['dir=in', 'action=allow']],
  ])('refuses %j', async (words) => {
    const before = JSON.stringify(node.stage.world.firewall)
    expect((await rule('add', ...words)).exitCode).toBe(1)
    expect(JSON.stringify(node.stage.world.firewall)).toBe(before)
  })

  it('changes nothing without elevation, and knows no other command', async () => {
    expect((await run(NETSH, ['interface', 'ip', 'show'])).exitCode).toBe(1)
    node.stage.world.os.administrator = false
    expect(await rule('add', ...RULE)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('requires elevation') as string,
    })
    expect(node.stage.world.firewall['k8s-win kubelet TCP 10250']).toBeUndefined()
  })
})

describe('taskkill', () => {
  it('ends a service’s process, which counts as a crash', async () => {
    await withNetwork(node)
    const pid = node.stage.world.services['kubelet']?.processId ?? 0
    expect(await run(TASKKILL, ['/F', '/T', '/PID', String(pid)])).toMatchObject({
      exitCode: 0,
      stdout: `SUCCESS: The process with PID ${pid} has been terminated.\r\n`,
    })
    expect(await node.win32.queryServiceStatus('kubelet')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
  })

  it('ends what a wrapper runs, and the wrapper starts it again', async () => {
    await withNetwork(node)
    expect((await run(TASKKILL, ['/F', '/IM', 'FlannelD.exe'])).exitCode).toBe(0)
    await node.stage.elapse(5000)
    expect(node.stage.world.services['flanneld']).toMatchObject({restarts: 1, stage: 'running', state: 'running'})
  })

  it('says what is not there, what it may not, and what it does not understand', async () => {
    expect(await run(TASKKILL, ['/F', '/PID', '99999'])).toMatchObject({
      exitCode: 128,
      stderr: 'ERROR: The process "99999" not found.\r\n',
    })
    expect((await run(TASKKILL, ['/F'])).exitCode).toBe(1)
    expect((await run(TASKKILL, ['--pid', '1'])).exitCode).toBe(1)
    await withNetwork(node)
    node.stage.world.os.administrator = false
    expect(await run(TASKKILL, ['/IM', 'kubelet.exe'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Access is denied') as string,
    })
  })
})

it('a program that is not there is not found, and one it does not know fails', async () => {
  await expect(run(String.raw`C:\none.exe`, [])).rejects.toBeInstanceOf(ProgramNotFoundError)
  expect(await run(String.raw`C:\k\kubernetes\node\bin\kubelet.exe`, ['--version'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot be run') as string,
  })
})
