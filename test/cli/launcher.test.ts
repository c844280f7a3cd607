// --launcher of the built command: what the process ends with, and what its documents say.
import {describe, expect, onTestFinished, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {type DiskHost, HostFolder} from '../steps/host-folder.js'
import {k8sWin} from './program.js'

async function sickHost(): Promise<DiskHost> {
  const memory = await HostFolder.fresh(({cluster}) => (cluster.reachable = false), 'ws2022-containerd')
  const host = memory.onDisk()
  onTestFinished(() => host.discard())
  return host
}

const call = ({dir}: DiskHost, args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  k8sWin([...args, '--simulate', 'ws2022-containerd', '--simulate-dir', dir], environment)

describe('k8s-win under a launcher', () => {
  test('ends with its exit code, and the documents have the usual one', async () => {
    const host = await sickHost()
    const {code, stdout} = await call(host, ['setup', '--launcher', 'cloudbase-init', '--json'])
    const result = JSON.parse(stdout) as RunResultDocument
    expect(code).toBe(1002)
    const launcher = {attempt: 1, attempts: 3, exitCode: 1002, name: 'cloudbase-init'}
    expect(result).toMatchObject({exitCode: 3, launcher, outcome: 'failed'})
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toMatchObject({exitCode: 3, launcher})
    const again = await call(host, ['setup', '-Launcher', 'none', '--json'], {K8S_WIN_LAUNCHER: 'cloudbase-init'})
    expect(again.code).toBe(3)
  })

  test('takes it from the environment, for reset and upgrade too', async () => {
    const host = await sickHost()
    const named = {K8S_WIN_LAUNCHER: 'azure-cse'}
    const {code, stderr} = await call(host, ['setup'], named)
    expect(code).toBe(3)
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^setup failed \(3\): API_SERVER_UNREACHABLE\. .{1,240}$/)
    const reset = await call(host, ['reset', '--json'], named)
    expect(JSON.parse(reset.stdout)).toMatchObject({exitCode: 0, launcher: {exitCode: 0, name: 'azure-cse'}})
    const upgrade = await call(host, ['upgrade', '--launcher', 'ssm', '--json'])
    expect(JSON.parse(upgrade.stdout)).toMatchObject({launcher: {exitCode: upgrade.code, name: 'ssm'}})
  })

  test.each(['setup', 'reset', 'upgrade'])('%s refuses another name with exit code 2', async (command) => {
    const host = await sickHost()
    const {code, stderr} = await call(host, [command, '--launcher', 'cloudbase'])
    expect(code).toBe(2)
    expect(stderr).toContain('--launcher')
  })
})
