// Services of others that depend on k8s-win's: setup and reset stop them where they must, and change nothing of them.
import {expect, it, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {at, nodeAt, releasesOf} from '../upgrade/node-at.js'
import {refusing} from '../upgrade/refusing.js'

const AGENT = {
  account: 'LocalSystem',
  dependencies: ['kubelet'],
  description: 'Reads the kubelet’s figures.',
  displayName: 'Monitoring agent',
  failureActions: {resetAfterSeconds: 60, restartDelaysMs: [1000]},
  failureFlag: true,
  imagePath: String.raw`C:\Windows\System32\svchost.exe -k agent`,
  startType: 'automatic',
} as const

function addAgent(world: World): void {
  const like = world.services['docker']!
  world.services['agent'] = {...structuredClone(like), config: AGENT, name: 'agent', processId: 9001}
}

function addAgentAndChange(world: World): void {
  addAgent(world)
  const kubelet = world.services['kubelet']!
  kubelet.config = {...kubelet.config, imagePath: `${kubelet.config.imagePath} --v=9`}
}

test('review N6: setup changes the kubelet, and an agent that depends on it runs as before', async () => {
  const host = await HostFolder.fresh()
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  host.edit(addAgentAndChange)
  const {events, result} = await setupOn(host.dir)
  expect([result.exitCode, result.error]).toEqual([0, undefined])
  const {agent, kubelet} = host.world.services
  expect([agent?.state, kubelet?.state, agent?.config]).toEqual(['running', 'running', AGENT])
  const changes = host.transcript.filter(({args, kind}) => kind === 'change' && args[0] === 'agent')
  expect(changes.map(({what}) => what)).toEqual(['stopService', 'startService'])
  expect(events.some((event) => event.type === 'log' && event.level === 'warn' && /agent/.test(event.message))).toBe(
    false,
  )
})

const changesOf = (host: HostFolder): string[] =>
  host.transcript.flatMap(({args, kind, what}) => (kind === 'change' && args[0] === 'agent' ? [what] : []))

it.each([
  ['an upgrade', 0, ['1.21.5', '1.23.17'], 0],
  ['an upgrade that goes back', 1, ['1.21.5', '1.21.5'], 6],
])(
  '%s: the agent runs again, although another step has stopped the kubelet',
  async (_, refused, releases, exitCode) => {
    const [from = '', to = ''] = releases
    const host = await nodeAt(from, '1.23.17', 'ws2019')
    host.edit(addAgent)
    const planned = await setupOn(host.dir, {release: '1.23.17'}, {dryRun: true})
    const lines = planned.result.steps.flatMap(({changes}) => changes).filter((line) => line.endsWith(' agent'))
    expect(lines).toEqual(['equivalent to: sc.exe stop agent', 'equivalent to: sc.exe start agent'])
    const {result} = await setupOn(host.dir, {release: '1.23.17'}, {wrap: refusing('kubelet', refused)})
    expect(result.exitCode).toBe(exitCode)
    expect(releasesOf(host)).toEqual(at(to))
    expect([host.world.services['agent']?.state, changesOf(host)]).toEqual(['running', ['stopService', 'startService']])
  },
)
