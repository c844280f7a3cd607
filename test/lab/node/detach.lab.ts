// Runs that continue as a service of Wine's real service manager, under the real shawl: they outlive the process that started
// them, are shown by another one, stop cleanly with their service, continue at its next start, and remove themselves.
import {readdir} from 'node:fs/promises'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {RunResultDocument} from '../../../src/pipeline/run/events.js'
import {type Lab, type LabResult, openLab} from '../lab.js'
import {attach, isServiceGone, sc, SERVICE} from './detached-run.js'
import {INSTALLED_CLI, INSTALLED_WORDS, installCli} from './installed-cli.js'
import {type LabNode, startLabNode} from './lab-node.js'

const IMAGE_PATH = String.raw`"C:\k\k8s-win\bin\shawl.exe" run --name k8s-win-run --no-restart --no-log --stop-timeout 4000 -- ${INSTALLED_WORDS} run-detached --base-dir=C:\k`

const REQUEST = 'run.json'
const ERROR_SERVICE_SPECIFIC_ERROR = 1066
const WITHIN = {interval: 200, timeout: 60_000}

let lab: Lab
let node: LabNode

const resultOf = ({stdout}: LabResult): RunResultDocument => JSON.parse(stdout) as RunResultDocument
const filesIn = (folder: string): Promise<string[]> => readdir(node.machine.path(folder))

beforeAll(async () => {
  lab = await openLab()
  node = await startLabNode(lab, {cli: INSTALLED_CLI, isDetachable: true})
  await installCli(node.machine)
})

afterAll(async () => {
  await lab.close()
})

describe('setup --detach', () => {
  test('ends with 0, and leaves a service that runs', async () => {
    const started = await node.setup(['-BaseDir', 'c:\\k', '--detach', '--json'])
    expect(started, started.stderr).toMatchObject({code: 0})
    expect(resultOf(started)).toMatchObject({outcome: 'detached', steps: []})
    expect((await sc(node, 'query')).stdout).toContain('RUNNING')
  })

  test('attach shows it live; a stop of the service ends both, and the run is kept', async () => {
    let stopping: Promise<LabResult> | undefined
    const {code, result} = await attach(node, (step) => {
      // It has needed the proxy of the session by then, and the longer part of the run is to come.
      if (step === 'kubernetes-binaries') stopping = sc(node, 'stop')
    })
    expect({code, outcome: result.outcome}, JSON.stringify(result.error)).toEqual({code: 130, outcome: 'interrupted'})
    expect(await stopping).toMatchObject({code: 0})
    await expect.poll(async () => (await sc(node, 'query')).stdout, WITHIN).toContain('STOPPED')

    const {config, key, status} = (await node.look()).services[SERVICE]!
    expect(key['ImagePath']?.data).toBe(IMAGE_PATH)
    expect(config).toMatchObject({account: 'LocalSystem', startType: 'automatic'})
    // Ended by itself, in the time that shawl gives it.
    expect(status).toMatchObject({serviceExitCode: 130, win32ExitCode: ERROR_SERVICE_SPECIFIC_ERROR})
    expect(await filesIn('C:\\k\\k8s-win')).toContain(REQUEST)
    expect(JSON.parse(await node.machine.read('C:\\k\\k8s-win\\result.json'))).toMatchObject({outcome: 'interrupted'})
  })

  test('the service continues it at its next start, and removes itself', async () => {
    expect(await sc(node, 'start')).toMatchObject({code: 0})
    const {code, events, result} = await attach(node)
    expect({code, outcome: result.outcome}, JSON.stringify(result.error)).toEqual({code: 0, outcome: 'done'})
    expect(result).toMatchObject({node: {name: 'win-1', ready: true}, recap: {failed: 0}})
    expect(result.steps.find(({id}) => id === 'kubernetes-binaries')?.state).toBe('in-place')
    expect(events.filter(({type}) => type === 'step-finished')).toHaveLength(result.steps.length)

    await expect.poll(() => isServiceGone(node), WITHIN).toBe(true)
    expect(await filesIn('C:\\k\\k8s-win')).not.toContain(REQUEST)
    const services = ['docker', 'flanneld', 'hns', 'k8s-win', 'kubelet', 'kubeproxy']
    expect(Object.keys((await node.look()).services)).toEqual(services)
    const {code: nothing} = await (await node.start('attach', ['--base-dir', 'c:\\k'])).ended
    expect(nothing).toBe(9)
  })
})

test('recover --detach repairs the node as a service, which removes itself', async () => {
  const kubeProxy = async (): Promise<unknown> => (await node.look()).services['kubeproxy']?.status?.state
  // sc.exe may lose its connection (109): kube-proxy ends while it stops.
  await node.machine.run({args: ['stop', 'kubeproxy'], program: 'C:\\windows\\system32\\sc.exe'})
  await expect.poll(kubeProxy, WITHIN).toBe('stopped')
  const started = await (await node.start('recover', ['--base-dir', 'c:\\k', '--detach', '--json'])).ended
  expect(started, started.stderr).toMatchObject({code: 0})
  expect(resultOf(started)).toMatchObject({command: 'recover', outcome: 'detached'})
  const {code, result} = await attach(node)
  expect({code, outcome: result.outcome}, JSON.stringify(result.error)).toEqual({code: 0, outcome: 'done'})
  expect(result.steps.filter(({state}) => state === 'changed').map(({id}) => id)).toEqual(['kubeproxy-service'])
  await expect.poll(() => isServiceGone(node), WITHIN).toBe(true)
  expect(await kubeProxy()).toBe('running')
})

test('reset --purge --detach leaves nothing but shawl, which Windows deletes at its next restart', async () => {
  // Without the file attach would read the end from the Windows event, and Wine's EvtQuery is a stub.
  const options = ['--base-dir', 'c:\\k', '--purge', '--yes', '--detach', '--log-file', 'C:\\reset.log', '--json']
  const started = await (await node.start('reset', options)).ended
  expect(started, started.stderr).toMatchObject({code: 0})
  expect(resultOf(started)).toMatchObject({outcome: 'detached'})
  const {code, result} = await attach(node)
  expect({code, outcome: result.outcome}, JSON.stringify(result.error)).toEqual({code: 0, outcome: 'done'})

  await expect.poll(() => isServiceGone(node), WITHIN).toBe(true)
  const {pendingRenames, services} = await node.look()
  expect(Object.keys(services)).toEqual(['docker', 'hns'])
  // What was there before setup.
  expect(await filesIn('C:\\k')).toEqual(['kubeconfig'])
  const moved = (await filesIn('C:\\')).filter((name) => name.endsWith('.deleted'))
  expect(moved).toEqual([expect.stringMatching(/^k8s-win-[\da-f]{8}\.deleted$/)])
  expect(pendingRenames).toEqual([`\\??\\C:\\${moved[0]}`, ''])
})
