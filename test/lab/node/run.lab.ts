// "k8s-win run" on a lab node: a real child process below the real Node.js for Windows, its output through real pipes, the
// service stopped and started by Wine's service manager; and Ctrl-C, and a kill.
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {type Lab, type LabResult, openLab} from '../lab.js'
import type {LabProcess} from '../lab-run.js'
import {ask} from './ask.js'
import {type LabNode, startLabNode} from './lab-node.js'

const RECORD = String.raw`C:\k\k8s-win\stopped.json`
const PRINTED = 'Starting kubelet main sync loop'
const WITHIN = {interval: 500, timeout: 180_000}
const TEST_MS = 600_000

let lab: Lab
let node: LabNode

const run = async (command: string, ...args: readonly string[]): Promise<LabResult> =>
  (await node.start(command, ['--base-dir', 'c:\\k', ...args])).ended
const stateOf = async (name: string): Promise<unknown> => (await node.look()).services[name]?.status?.state
const hasRecord = async (): Promise<boolean> =>
  node.machine.read(RECORD).then(
    () => true,
    () => false,
  )

/** How many processes of Linux a kubelet is: by its program, so that what counts them is none. */
async function kubelets(): Promise<number> {
  const script = `for one in /proc/[0-9]*; do
    tr '\\0' ' ' <$one/cmdline 2>/dev/null | grep -q '^[^ ]*bin.kubelet[.]exe' && echo one
  done; true`
  const {stdout} = await node.machine.linux(['sh', '-c', script])
  return stdout.split('\n').filter(Boolean).length
}

/** The kubelet in the foreground, when it has registered the node; its service is stopped. */
async function inForeground(): Promise<LabProcess> {
  const running = await node.start('run', ['kubelet', '--base-dir', 'c:\\k', '--json'])
  await expect.poll(() => stateOf('kubelet'), WITHIN).toBe('stopped')
  await expect.poll(async () => (await node.world()).services['kubelet']?.stage ?? '', WITHIN).toMatch(/^registered/)
  expect([await kubelets(), await hasRecord()]).toEqual([1, true])
  return running
}

beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab)
  const {stdout} = await node.setup(['-BaseDir', 'c:\\k', '--json'])
  const {error, exitCode} = JSON.parse(stdout) as RunResultDocument
  expect(exitCode, JSON.stringify(error)).toBe(0)
})

afterAll(async () => {
  await lab.close()
})

test(
  'Ctrl-C ends the daemon, and its service runs again',
  async () => {
    const running = await inForeground()
    await running.interrupt()
    const {code, stderr, stdout} = await running.ended
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({command: 'run', outcome: 'done'})
    expect(stderr).toContain(PRINTED)
    expect([await stateOf('kubelet'), await hasRecord(), await kubelets()]).toEqual(['running', false, 1])
    expect(await ask(node, 'status', '--json')).toMatchObject({code: 0})
  },
  TEST_MS,
)

test(
  'a kill ends the daemon with it, and the next start completes it',
  async () => {
    const running = await inForeground()
    await running.kill()
    await running.ended.catch(() => undefined)
    await expect.poll(kubelets, WITHIN).toBe(0)
    expect([await stateOf('kubelet'), await hasRecord()]).toEqual(['stopped', true])
    expect(await run('start', '--json')).toMatchObject({code: 0})
    expect([await stateOf('kubelet'), await hasRecord()]).toEqual(['running', false])
    expect(await ask(node, 'status', '--json')).toMatchObject({code: 0})
  },
  TEST_MS,
)

test(
  'stop, and start: the services of a patch day',
  async () => {
    const names = ['kubelet', 'flanneld', 'kubeproxy']
    expect(await run('stop', '--json')).toMatchObject({code: 0})
    expect(await Promise.all(names.map(stateOf))).toEqual(names.map(() => 'stopped'))
    expect(await run('start', '--json')).toMatchObject({code: 0})
    expect(await Promise.all(names.map(stateOf))).toEqual(names.map(() => 'running'))
    expect(await ask(node, 'status', '--json')).toMatchObject({code: 0})
  },
  TEST_MS,
)
