// The real CLI on a lab machine without Docker: a node with containerd under the real shawl, and daemons behind
// kube-log-runner, which the service manager talks to through their runner's process.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {DoctorDocument} from '../../../src/output/doctor/doctor-document.js'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import type {StatusDocument} from '../../../src/pipeline/run/status-report.js'
import {type Lab, type LabResult, openLab} from '../lab.js'
import {ask} from './ask.js'
import {type LabNode, startLabNode} from './lab-node.js'
import type {LabNodeView} from './node-view.js'

/** Of docs/facts.md and the golden command lines of test/components. */
const IMAGE_PATHS = {
  containerd: String.raw`"C:\k\shawl.exe" run --name containerd --log-dir C:\k\logs\containerd --restart --stop-timeout 4000 -- C:\k\containerd\bin\containerd.exe --config C:\k\containerd\config.toml`,
  kubelet: String.raw`"C:\k\kubernetes\node\bin\kube-log-runner.exe" -log-file=C:\k\logs\kubelet\kubelet.log -log-file-size=50Mi -log-file-age=168h C:\k\kubernetes\node\bin\kubelet.exe --windows-service --config=C:\k\kubelet-config.yaml --kubeconfig=C:\k\kubeconfig --cert-dir=C:\var\lib\kubelet\pki --hostname-override=win-1 --node-ip=10.0.0.5 --resolv-conf= --windows-priorityclass=ABOVE_NORMAL_PRIORITY_CLASS --v=2`,
} as const
const WITHIN = {interval: 200, timeout: 90_000}
const TASKKILL = 'C:\\windows\\system32\\taskkill.exe'

let lab: Lab
let node: LabNode
let first: LabResult
let seen: LabNodeView

const resultOf = ({stdout}: LabResult): RunResultDocument => JSON.parse(stdout) as RunResultDocument
beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab, {runtime: 'containerd'})
  first = await node.setup(['-BaseDir', 'c:\\k', '--json'])
  seen = await node.look()
})

afterAll(async () => {
  await lab.close()
})

describe('a fresh setup', () => {
  test('ends with a Ready node of the newest release', async () => {
    expect(first, first.stderr).toMatchObject({code: 0})
    expect(resultOf(first)).toMatchObject({node: {name: 'win-1', ready: true}, outcome: 'done', recap: {failed: 0}})
    const joined = (await node.world()).cluster.nodes.find(({name}) => name === 'win-1')
    expect(joined).toMatchObject({podCIDR: '10.244.3.0/24', ready: true, readyReason: 'KubeletReady'})
  })

  test.each(['containerd', 'kubelet'] as const)('registers %s, and it runs', (name) => {
    const {config, key, status} = seen.services[name]!
    expect(key['ImagePath']?.data).toBe(IMAGE_PATHS[name])
    expect(config).toMatchObject({account: 'LocalSystem', failureFlag: true, startType: 'automatic'})
    expect(status).toMatchObject({state: 'running', win32ExitCode: 0})
  })

  test('has no Docker', () => {
    expect(seen.services['docker']).toBeUndefined()
  })

  test('the kubelet runs as a process of its runner, and its words are in the file that the runner writes', async () => {
    const kubelet = (await node.world()).services['kubelet']
    expect(kubelet?.processId).not.toBe(seen.services['kubelet']?.status?.processId)
    expect(await node.machine.read('C:\\k\\logs\\kubelet\\kubelet.log')).toMatch(/^[IWE]\d{4} /m)
  })
})

describe('asked', () => {
  test('status: everything is as setup left it', async () => {
    const {code, stderr, stdout} = await ask(node, 'status', '--json')
    const {problems, notChecked} = JSON.parse(stdout) as StatusDocument
    expect({code, problems, stderr, notChecked}).toEqual({code: 0, problems: [], stderr: '', notChecked: []})
  })

  test('doctor: nothing is wrong', async () => {
    const {code, stderr, stdout} = await ask(node, 'doctor', '--json')
    const {groups} = JSON.parse(stdout) as DoctorDocument
    const failed = groups.flatMap(({checks}) => checks).filter(({result}) => result === 'fail')
    expect({code, failed, stderr}).toEqual({code: 0, failed: [], stderr: ''})
  })

  test('logs: the words of each daemon', async () => {
    const {code, stdout} = await ask(node, 'logs', 'containerd', 'kubelet', 'kubeproxy', '--output', 'ndjson')
    const lines = stdout.split('\n').filter((line) => line !== '')
    const components = lines.map((line) => (JSON.parse(line) as {component: string}).component)
    expect(code).toBe(0)
    expect([...new Set(components)].sort()).toEqual(['containerd', 'kubelet', 'kubeproxy'])
  })
})

describe('a daemon that is killed', () => {
  const processOf = async (name: string): Promise<number | undefined> => (await node.world()).services[name]?.processId
  const kill = async (name: string): Promise<void> => {
    const {code} = await node.machine.run({args: ['/F', '/PID', String(await processOf(name))], program: TASKKILL})
    expect(code).toBe(0)
  }

  test('containerd is started again by shawl, and setup finds nothing to change', async () => {
    const before = await processOf('containerd')
    await kill('containerd')
    await expect.poll(() => processOf('containerd'), WITHIN).not.toBe(before)
    const isServing = async (): Promise<boolean> => (await node.world()).containerd.running
    await expect.poll(isServing, WITHIN).toBe(true)
    expect(resultOf(await node.setup(['--json']))).toMatchObject({exitCode: 0, recap: {changed: 0}})
  })

  // Wine has no failure actions, which start both again on Windows.
  test('the kubelet ends its runner with it, and setup starts both', async () => {
    await kill('kubelet')
    const state = async (): Promise<unknown> => (await node.look()).services['kubelet']?.status?.state
    await expect.poll(state, WITHIN).toBe('stopped')
    const {error, exitCode, steps} = resultOf(await node.setup(['--json']))
    const changed = steps.filter((step) => step.state === 'changed').map(({id}) => id)
    expect({changed, error, exitCode}).toEqual({changed: ['kubelet-service'], error: undefined, exitCode: 0})
    expect(await state()).toBe('running')
  })
})
