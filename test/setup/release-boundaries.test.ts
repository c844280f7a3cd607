// Releases on both sides of what changed for Windows services, set up whole with containerd: the command lines are the golden
// ones, logs, status and doctor know both ways of writing logs, and a daemon that is ended comes back with its runner.
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import type {Machine} from '../../src/machine/machine.js'
import {remembered} from '../../src/machine/remembered.js'
import {splitCommandLine} from '../../src/machine/command-line.js'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {golden} from '../components/golden.js'
import {examine} from '../doctor/doctor-rig.js'
import {logs} from '../runs/run-logs.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'
import {sample} from '../sample.js'

const profile = 'ws2022-containerd'
const PROGRAMS = {kubelet: 'kubelet', kubeproxy: 'kube-proxy'} as const

const nodeOf = remembered(async (release: string): Promise<HostFolder> => {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile})
  host.edit((world) => (world.cluster = makeCluster(`v${release}`)))
  const {result} = await setupOn(host.dir, {release}, {}, profile)
  expect(result.error).toBeUndefined()
  return host
})
const commandOf = ({services}: World, name: string): string[] =>
  splitCommandLine(services[name]?.config.imagePath ?? '')
const kill = (machine: Machine, image: string) =>
  machine.run(String.raw`C:\Windows\System32\taskkill.exe`, ['/F', '/IM', image], {deadlineMs: 9000, effect: 'change'})

it.each(sample(['1.24.17', '1.26.15', '1.27.16', '1.31.14', '1.36.4'], 2))(
  '%s has the golden command lines and configuration',
  async (release) => {
    const node = await nodeOf(release)
    const minor = release.split('.').slice(0, 2).join('.')
    for (const [service, program] of Object.entries(PROGRAMS)) {
      const lines = `${commandOf(node.world, service).join('\n')}\n`
      expect(lines).toBe(golden(`${minor}/${program}.txt`, lines))
    }
    const config = node.read(String.raw`k\kubelet-config.yaml`)
    expect(config).toBe(golden(`${minor}/kubelet-config.yaml`, config))
  },
)

const AT_BOUNDARIES = ['1.24.17', '1.25.16', '1.26.15', '1.27.16', '1.31.14', '1.34.11', '1.36.4']
describe.each(sample(AT_BOUNDARIES, 2))('%s', (release) => {
  const hasRunner = Number(release.split('.')[1]) >= 26

  it('leaves room and processor time for Windows, and direct server return off', async () => {
    const node = await nodeOf(release)
    expect(commandOf(node.world, 'kubelet')).toContain('--windows-priorityclass=ABOVE_NORMAL_PRIORITY_CLASS')
    expect(parse(node.read(String.raw`k\kubelet-config.yaml`))).toMatchObject({systemReserved: {memory: '2Gi'}})
    expect(commandOf(node.world, 'kubeproxy').join(' ')).not.toMatch(/dsr/i)
  })

  it('is healthy, and its logs are found', async () => {
    const node = await nodeOf(release)
    expect((await statusOn(node.dir, {profile})).document).toMatchObject({
      problems: [],
      notChecked: [],
      verdict: 'healthy',
    })
    expect((await examine(node, {profile})).document.problems).toEqual([])
    const machine = await openSimulator({dir: node.dir, profile, readOnly: true})
    const {code, entries, notes} = await logs(node, {}, [], {machine})
    expect([code, notes]).toEqual([0, []])
    expect([...new Set(entries.map(({component}) => component))].sort()).toEqual([
      'containerd',
      'flanneld',
      'kubelet',
      'kubeproxy',
    ])
    for (const [service, program] of Object.entries(PROGRAMS)) {
      const files = new Set(entries.filter(({component}) => component === service).map(({file}) => file))
      const name = new RegExp(hasRunner ? `\\\\${program}\\.log$` : `\\\\${program}\\.exe\\..*\\.INFO\\.`)
      expect([...files]).toEqual([expect.stringMatching(name)])
    }
  })

  it.each(sample(Object.entries(PROGRAMS), 2))(
    '%s that is ended comes back, with its runner',
    async (service, program) => {
      const host = (await nodeOf(release)).copy()
      const machine = await openSimulator({dir: host.dir, profile})
      const running = async (): Promise<string[]> => {
        const {processId = 0} = (await machine.win32.queryServiceStatus(service)) ?? {}
        const all = await machine.win32.processes()
        return all
          .filter(({id, parentId}) => processId !== 0 && [id, parentId].includes(processId))
          .map(({name}) => name)
      }
      const both = [...(hasRunner ? ['kube-log-runner.exe'] : []), `${program}.exe`]
      expect(await running()).toEqual(both)
      expect((await kill(machine, `${program}.exe`)).exitCode).toBe(0)
      expect(await running()).toEqual([])
      await machine.clock.sleep(30_000)
      expect(await running()).toEqual(both)
      expect(host.world.services[service]).toMatchObject({restarts: 1, state: 'running'})
      expect((await statusOn(host.dir, {profile})).document).toMatchObject({problems: [], verdict: 'healthy'})
    },
  )
})

it.each([
  ['1.32.13', ['--enable-dsr', '--feature-gates=WinOverlay=true,WinDSR=true']],
  ['1.36.4', ['--enable-dsr']],
])('%s has direct server return with --enable-dsr only', async (release, expected) => {
  const host = (await nodeOf(release)).copy()
  const {result} = await setupOn(host.dir, {'enable-dsr': true, release}, {}, profile)
  expect(result).toMatchObject({exitCode: 0, node: {ready: true}})
  const changed = result.steps.filter(({state}) => state === 'changed').map(({id}) => id)
  expect(changed).toEqual(['kubeproxy-service', 'cni-config'])
  const flags = commandOf(host.world, 'kubeproxy').filter((part) => /^--(enable-dsr|feature-gates)/.test(part))
  expect(flags).toEqual(expected)
})
