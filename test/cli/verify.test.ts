// verify as people and programs call it: exit codes, and what goes where.
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {ADMIN_CERTIFICATE} from '../../src/simulator/cluster/certificates.js'
import {makeKubeconfig} from '../../src/simulator/cluster/kubeconfig.js'
import {healthyNode} from '../status/status-on.js'
import {DiskHost} from '../steps/host-folder.js'
import {checksOf, all} from '../verify/verify-run.js'
import {type Ended, k8sWin} from './program.js'

let node = DiskHost.empty()
beforeAll(async () => {
  node.discard()
  node = (await healthyNode()).onDisk()
  node.put('admin.conf', makeKubeconfig(node.world.cluster.serverURL, ADMIN_CERTIFICATE))
})
afterAll(() => node.discard())

const verify = (...args: readonly string[]): Promise<Ended> =>
  k8sWin(['verify', ...args], {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: String(node.dir)})

describe('k8s-win verify', () => {
  test('shows its checks, also those that passed', async () => {
    const {code, stderr, stdout} = await verify('-Kubeconfig', String.raw`c:\admin.conf`)
    expect({code, stdout}).toEqual({code: 0, stdout: ''})
    expect(stderr).toMatch(/k8s-win verify$/m)
    for (const title of ['Cluster DNS', 'API server through its Service', 'Pod on another node'])
      expect(stderr).toMatch(new RegExp(`check pass: ${title}`))
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/verify done in /)
  })

  test('is one document with --json, and the same in result.json', async () => {
    const {code, stdout} = await verify('--kubeconfig', String.raw`c:\admin.conf`, '--json')
    const document = JSON.parse(stdout) as RunResultDocument
    expect(code).toBe(0)
    expect(document).toMatchObject({command: 'verify', exitCode: 0, outcome: 'done', simulated: true})
    expect(checksOf(document)).toEqual(all('pass'))
    const {lastRun, ...stored} = JSON.parse(node.read(String.raw`k\k8s-win\result.json`)) as RunResultDocument
    expect(stored).toEqual(document)
    expect(lastRun).toMatchObject({command: 'setup'})
  })

  test('as the node: not checked, with the command', async () => {
    const {code, stderr} = await verify()
    expect(code).toBe(8)
    expect(stderr).not.toMatch(/passed|verify done/)
    expect(stderr.trimEnd()).toMatch(/nothing was checked \(exit code 8\)$/)
    const words = stderr.replaceAll(/\s+(?:\S+Z )?/g, ' ')
    expect(words).toContain('Not checked: Cluster DNS from a pod: ')
    expect(words).toContain('an administrator of the cluster can: "k8s-win verify --kubeconfig <file>"')
  })

  test.each([
    ['--timeout', '0s'],
    ['--kubeconfig', ' '],
    ['--nonsense', 'x'],
  ])('refuses %s %s', async (...args) => {
    expect((await verify(...args)).code).toBe(2)
  })

  test('ends with 9 where there is no node', async () => {
    expect((await verify('--base-dir', String.raw`c:\elsewhere`)).code).toBe(9)
  })
})
