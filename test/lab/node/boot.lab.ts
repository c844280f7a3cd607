// A lab node whose Windows is restarted: Wine's real service manager starts the services, each by itself, and recover what it has
// no failure actions for (kube-proxy before its network is there). Docker is left to the simulated boots, test/boot.
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {isDockerRunning} from '../../../src/simulator/docker/engine.js'
import {type Lab, openLab} from '../lab.js'
import {type LabNode, startLabNode} from './lab-node.js'

const WITHIN = {interval: 500, timeout: 180_000}
const TEST_MS = 600_000
/** ERROR_SERVICE_NEVER_STARTED */
const NEVER_STARTED = 1077

let lab: Lab
let node: LabNode

const flanneld = async (): Promise<number | undefined> => (await node.world()).services['flanneld']?.processId

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

test('the UUID of the machine is stored with the options', async () => {
  const stored = await node.machine.read(String.raw`C:\k\k8s-win\node.yaml`)
  expect(stored).toMatch(/^madeOn:\n {2}computerName: "WIN-1"\n {2}uuid: "[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"$/m)
})

test(
  'review W3: after a restart of Windows the service manager starts the daemons, whatever became of Docker',
  async () => {
    await node.reboot()
    // The service manager's own word: one that it has not started since Windows did has this exit code. A program that it
    // starts and that ends at once (kube-proxy before its network is there) has another, and the world may not hear of it.
    const isStarted = async (): Promise<boolean[]> => {
      const {services} = await node.look()
      return ['flanneld', 'kubelet', 'kubeproxy'].map(
        (name) => (services[name]?.status?.win32ExitCode ?? NEVER_STARTED) !== NEVER_STARTED,
      )
    }
    await expect.poll(isStarted, WITHIN).toEqual([true, true, true])
    const running = async (): Promise<unknown> => (await node.look()).services['flanneld']?.status?.state
    await expect.poll(running, WITHIN).toBe('running')
  },
  TEST_MS,
)

test(
  'review W3: after it shawl still starts flanneld again',
  async () => {
    const before = await flanneld()
    const taskkill = 'C:\\windows\\system32\\taskkill.exe'
    await node.machine.run({args: ['/F', '/PID', String(before)], program: taskkill})
    await expect.poll(flanneld, WITHIN).not.toBe(before)
  },
  TEST_MS,
)

test(
  'recover repairs the rest, and finds nothing to repair the next time',
  async () => {
    // Docker may have been started before its world was there.
    const start = (name: string) => node.machine.run({args: ['start', name], program: 'C:\\windows\\system32\\sc.exe'})
    for (const name of ['hns', 'docker']) await start(name)
    const isRunning = async (): Promise<boolean> => isDockerRunning(await node.world())
    await expect.poll(isRunning, WITHIN).toBe(true)
    const recover = async (): Promise<{result: RunResultDocument; stderr: string}> => {
      const {stderr, stdout} = await (await node.start('recover', ['--base-dir', 'c:\\k', '--json'])).ended
      return {result: JSON.parse(stdout) as RunResultDocument, stderr}
    }
    const {result, stderr: first} = await recover()
    expect(result, first).toMatchObject({command: 'recover', exitCode: 0, node: {ready: true}})
    const {services} = await node.look()
    const states = ['flanneld', 'kubelet', 'kubeproxy'].map((name) => services[name]?.status?.state)
    expect(states).toEqual(['running', 'running', 'running'])
    const {
      result: {exitCode, steps},
      stderr: second,
    } = await recover()
    expect({changes: steps.flatMap(({changes}) => changes), exitCode}, `${first}\n${second}`).toEqual({
      changes: [],
      exitCode: 0,
    })
  },
  TEST_MS,
)
