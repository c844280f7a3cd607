// reset as people and scripts call it: the built program on a simulated host.
import {describe, expect, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {type Ended, k8sWin} from '../cli/program.js'
import {SimulatedHost} from '../setup/simulated-host.js'
import type {DiskHost} from '../steps/host-folder.js'
import {setUpHost} from './set-up-host.js'
import {differences, wholeHost} from './whole-host.js'

const {before, copyOnDisk: copy} = setUpHost()
const call = ({dir}: DiskHost, ...args: readonly string[]): Promise<Ended> =>
  k8sWin(args, {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: dir})

describe('k8s-win reset', () => {
  test('goes ahead without a terminal, reports what it does, and ends with its verdict', async () => {
    const host = copy()
    const {code, stderr, stdout} = await call(host, 'reset', '-BaseDir', String.raw`c:\K`, '-Purge')
    expect({code, stdout}).toEqual({code: 0, stdout: ''})
    expect(stderr).toContain('overlay-network: Remove the overlay network')
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/reset done in /)
    expect(differences(before(), wholeHost(host))).toEqual([])
  })

  test('answers with one document, on stdout and in result.json', async () => {
    const host = copy()
    const {code, stdout} = await call(host, 'reset', '--json')
    const result = JSON.parse(stdout) as RunResultDocument
    expect({code, command: result.command, outcome: result.outcome}).toEqual({
      code: 0,
      command: 'reset',
      outcome: 'done',
    })
    expect(JSON.parse(host.read(String.raw`k\k8s-win\result.json`))).toEqual(result)
    const again = JSON.parse((await call(host, 'reset', '--json')).stdout) as RunResultDocument
    expect(again.recap).toMatchObject({changed: 0, failed: 0})
  })

  test('reports everything that is wrong with the command line, and changes nothing', async () => {
    const host = await SimulatedHost.make()
    const fresh = wholeHost(host)
    const {code, stderr} = await call(host, 'reset', '--drain-timeout', 'soon', '-Timeout', '0s')
    expect(code).toBe(2)
    expect(stderr).toContain('--drain-timeout "soon"')
    expect(stderr).toContain('--timeout "0s"')
    expect((await call(host, 'reset', '--purg')).stderr).toContain('--purge')
    expect(differences(fresh, wholeHost(host))).toEqual([])
  })
})

describe('setup', () => {
  test.each([[['-Reset']], [['-Reset:$true']], [['-Reset', 'true']], [['--reset', '--timeout', '10m']]])(
    '%j takes the node apart',
    async (args) => {
      const host = copy()
      const {code, stderr} = await call(host, 'setup', ...args)
      expect(code).toBe(0)
      expect(stderr).toContain('k8s-win reset:')
      expect(Object.keys(host.world.services)).not.toContain('kubelet')
      expect(host.world.cluster.nodes.map(({name}) => name)).not.toContain('win-1')
    },
  )

  test('-Reset -DryRun shows what would go, and changes nothing', async () => {
    const host = copy()
    const at = wholeHost(host)
    const {code, stderr, stdout} = await call(host, 'setup', '-Reset', '-DryRun')
    expect(code).toBe(0)
    expect(stdout).toContain('the service kubelet')
    expect(stdout.split('\n').slice(0, 11)).toContainEqual(expect.stringMatching(/^ {2}remove the services .*kubelet/))
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('reset planned')
    expect(differences(at, wholeHost(host))).toEqual([])
  })

  test('with K8S_WIN_RESET does so where --no-reset does not say otherwise', async () => {
    const host = await SimulatedHost.make()
    const environment = {K8S_WIN_RESET: 'true', K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir}
    const {code, stderr} = await k8sWin(['setup'], environment)
    expect(code).toBe(0)
    expect(stderr).toContain('there is nothing to remove')
    expect((await k8sWin(['setup', '-Reset:$false', '--dry-run'], environment)).stderr).toContain('setup planned')
  })
})
