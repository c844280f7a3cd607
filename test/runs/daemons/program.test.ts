// stop, start, restart and run, as people type them.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {splitCommandLine} from '../../../src/machine/command-line.js'
import type {ForegroundDocument} from '../../../src/output/text/foreground-text.js'
import {type Ended, k8sWin, k8sWinProcess, startK8sWin} from '../../cli/program.js'
import {setupOn} from '../../setup/in-process.js'
import {DiskHost} from '../../steps/host-folder.js'

const PROFILE = 'ws2022-containerd'
const node = DiskHost.empty()
beforeAll(async () => {
  expect((await setupOn(node.dir, {}, {}, PROFILE)).result.error).toBeUndefined()
})
const copies: DiskHost[] = []
function copy(): DiskHost {
  const host = DiskHost.empty()
  node.copyTo(host)
  copies.push(host)
  return host
}
afterAll(() => {
  for (const host of [node, ...copies]) host.discard()
})

const on = ({dir}: DiskHost): string[] => ['--simulate', PROFILE, '--simulate-dir', dir]
const stateOf = ({world}: DiskHost, name: string): unknown => world.services[name]?.state
const idOf = ({stdout}: Ended): unknown => (JSON.parse(stdout) as {error?: {id: string}}).error?.id

describe('a wrong command line changes nothing', () => {
  test.each([
    ['stop nonsense', 'UNKNOWN_DAEMON'],
    ['stop k8s-win', 'UNKNOWN_DAEMON'],
    ['stop kubelet flanneld', 'UNEXPECTED_ARGUMENT'],
    ['stop flanneld --drain', 'DRAIN_WITHOUT_KUBELET'],
    ['stop --drain-timeout 5m', 'BAD_VALUE'],
    ['start --drain', 'UNKNOWN_FLAG'],
    ['restart all --no-such', 'UNKNOWN_FLAG'],
    ['run', 'MISSING_DAEMON'],
    ['run all', 'UNKNOWN_DAEMON'],
    ['run kubelet flanneld', 'UNEXPECTED_ARGUMENT'],
    ['run kubelet --v=4', 'UNKNOWN_FLAG'],
  ])('%s', async (line, id) => {
    const before = node.world.services['kubelet']?.processId
    const ended = await k8sWin([...line.split(' '), '--json', ...on(node)])
    expect([ended.code, idOf(ended)]).toEqual([2, id])
    expect(node.world.services['kubelet']?.processId).toBe(before)
  })
})

test('stop and start in processes of their own', async () => {
  const host = copy()
  expect((await k8sWinProcess(['stop', ...on(host)])).code).toBe(0)
  expect(['kubelet', 'flanneld', 'kubeproxy'].map((name) => stateOf(host, name))).toEqual(Array(3).fill('stopped'))
  const {code, stdout} = await k8sWin(['status', ...on(host)])
  expect([code, stdout.includes('k8s-win start')]).toEqual([8, true])
  const again = await k8sWinProcess(['stop', '--json', ...on(host)])
  expect(JSON.parse(again.stdout)).toMatchObject({exitCode: 0, recap: {changed: 0}})
  expect((await k8sWin(['resume', ...on(host)])).code).toBe(3)
  expect((await k8sWinProcess(['start', ...on(host)])).code).toBe(0)
  expect((await k8sWin(['status', ...on(host)])).code).toBe(0)
}, 180_000)

describe('run --print', () => {
  test.each(['kubelet', 'kube-proxy', 'flanneld', 'containerd'])(
    '%s: both lines are the program with its arguments',
    async (name) => {
      const host = copy()
      const before = host.filesBut(() => false)
      const {code, stdout} = await k8sWin(['run', name, '--print', '--json', ...on(host)])
      expect(code).toBe(0)
      const document = JSON.parse(stdout) as ForegroundDocument
      expect(document).toMatchObject({command: 'run', daemon: name})
      expect(document.program.endsWith(`\\${name}.exe`)).toBe(true)
      const words = [document.program, ...document.args]
      expect(splitCommandLine(document.cmd.at(-1)!)).toEqual(words)
      expect(document.powershell.at(-1)).toBe(`& ${words.map((word) => `'${word}'`).join(' ')}`)
      expect(document.environment).not.toHaveProperty('K8S_WIN_CONFIGURATION')
      expect(host.filesBut(() => false)).toEqual(before)
    },
  )

  test('in text, with a flag of the user', async () => {
    const {code, stdout} = await k8sWin(['run', 'flanneld', '--print', ...on(node), '--', '--v=7'])
    expect([code, stdout.includes('--v=7'), stdout.includes('NODE_NAME=win-1')]).toEqual([0, true, true])
  })
})

test('run in a process of its own: its output is on the screen until Ctrl-C, and the service runs again', async () => {
  const host = copy()
  const child = startK8sWin(['run', 'kubelet', '--simulate-speed', '20', ...on(host)])
  let [isInterrupted, output] = [false, '']
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve))
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part
      // A second Ctrl-C would end it at once.
      if (!isInterrupted && output.includes('Successfully registered node')) isInterrupted = child.kill('SIGINT')
    })
  }
  expect([await ended, stateOf(host, 'kubelet')]).toEqual([0, 'running'])
  expect(output).toContain('Starting kubelet main sync loop')
}, 180_000)

test('run in a process that is killed: the next start completes it', async () => {
  const host = copy()
  const child = startK8sWin(['run', 'kubelet', '--simulate-speed', '20', ...on(host)])
  const ended = new Promise<void>((resolve) => void child.on('close', () => resolve()))
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    output += part
    if (output.includes('Successfully registered node')) child.kill('SIGKILL')
  })
  await ended
  expect(stateOf(host, 'kubelet')).toBe('stopped')
  expect((await k8sWin(['start', ...on(host)])).code).toBe(0)
  expect(stateOf(host, 'kubelet')).toBe('running')
}, 180_000)
