// A lab node whose Windows is restarted: Wine's real service manager starts the services, each by itself. What it has no
// failure actions for (Docker, kube-proxy before its network is there) is left to the simulated boots, test/boot.
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {type Lab, openLab} from '../lab.js'
import {type LabNode, startLabNode} from './lab-node.js'

const WITHIN = {interval: 500, timeout: 180_000}
const TEST_MS = 600_000

let lab: Lab
let node: LabNode

const flanneld = async (): Promise<number | undefined> => (await node.world()).services['flanneld']?.processId

beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab)
  const {stdout} = await node.setup(['-BaseDir', 'c:\\k', '--json'])
  expect((JSON.parse(stdout) as RunResultDocument).exitCode).toBe(0)
})

afterAll(async () => {
  await lab.close()
})

test(
  'review W3: after a restart of Windows the service manager starts the daemons, whatever became of Docker',
  async () => {
    const starts = async (): Promise<(number | undefined)[]> => {
      const {services} = await node.world()
      return ['flanneld', 'kubelet', 'kubeproxy'].map((name) => services[name]?.startedAt)
    }
    const before = await starts()
    await node.reboot()
    // Each was started anew: the service manager started all three. Of what ended since, only shawl starts again.
    // The world's clock runs ahead while setup waits, and is the real one again after the restart: a new time may be an earlier one.
    const isNew = (seen: Awaited<ReturnType<typeof starts>>): boolean[] =>
      seen.map((one, index) => one !== undefined && one !== before[index])
    await expect
      .poll(async () => isNew(await starts()), WITHIN)
      .toEqual([true, true, true])
      .catch(async (error: unknown) => {
        throw new Error(`services: ${JSON.stringify((await node.look()).services)}`, {cause: error})
      })
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
