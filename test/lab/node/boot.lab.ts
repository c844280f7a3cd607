// A lab node whose Windows is restarted: Wine's real service manager starts the services, and nobody helps the node.
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {RunResultDocument} from '../../../src/pipeline/events.js'
import {type Lab, openLab} from '../lab.js'
import {type LabNode, startLabNode} from './lab-node.js'

const DAEMONS = ['flanneld', 'kubelet', 'kubeproxy'] as const
const WITHIN = {interval: 500, timeout: 90_000}
const TEST_MS = 400_000

let lab: Lab
let node: LabNode

const setup = async (): Promise<RunResultDocument> => {
  const {stderr, stdout} = await node.setup(['-BaseDir', 'c:\\k', '--json'])
  const result = JSON.parse(stdout) as RunResultDocument
  expect(result.error, stderr).toBeUndefined()
  return result
}
const states = async (): Promise<unknown[]> => {
  const {services} = await node.look()
  return DAEMONS.map((name) => services[name]?.status?.state)
}
const startKubeProxy = async (): Promise<unknown[]> => {
  const sc = 'C:\\windows\\system32\\sc.exe'
  if ((await states()).at(-1) === 'stopped') await node.machine.run({args: ['start', 'kubeproxy'], program: sc})
  return states()
}
const isReady = async (): Promise<boolean | undefined> =>
  (await node.world()).cluster.nodes.find(({name}) => name === 'win-1')?.ready

beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab)
  expect((await setup()).exitCode).toBe(0)
})

afterAll(async () => {
  await lab.close()
})

test(
  'review W3: after a restart of Windows the services start, and the node becomes Ready by itself',
  async () => {
    const before = Object.values((await node.world()).services).map(({processId}) => processId)
    await node.reboot()
    // kube-proxy ends where its network is not up yet. Wine's service manager carries out no failure actions, which would
    // start it again on Windows: that is done for it.
    await expect.poll(async () => (await states()).slice(0, 2), WITHIN).toEqual(['running', 'running'])
    await expect.poll(startKubeProxy, WITHIN).toEqual(['running', 'running', 'running'])
    await expect.poll(isReady, WITHIN).toBe(true)
    await expect.poll(async () => (await node.world()).hns.policyLists.length, WITHIN).toBeGreaterThan(1)
    const {services} = await node.world()
    for (const name of DAEMONS) expect(before).not.toContain(services[name]?.processId)
    expect(await setup()).toMatchObject({exitCode: 0, recap: {changed: 0}})
  },
  TEST_MS,
)

test(
  'review W3: after it shawl still starts flanneld again',
  async () => {
    const flanneld = async (): Promise<number | undefined> => (await node.world()).services['flanneld']?.processId
    const before = await flanneld()
    const taskkill = 'C:\\windows\\system32\\taskkill.exe'
    expect((await node.machine.run({args: ['/F', '/PID', String(before)], program: taskkill})).code).toBe(0)
    await expect.poll(flanneld, WITHIN).not.toBe(before)
    expect(await setup()).toMatchObject({exitCode: 0, recap: {changed: 0}})
  },
  TEST_MS,
)
