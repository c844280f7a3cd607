// Services of others that depend on k8s-win's: setup and reset stop them where they must, and change nothing of them.
import {expect, test} from 'vitest'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'

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
  const kubelet = world.services['kubelet']!
  kubelet.config = {...kubelet.config, imagePath: `${kubelet.config.imagePath} --v=9`}
}

test('review N6: setup changes the kubelet, and an agent that depends on it runs as before', async () => {
  const host = await HostFolder.fresh()
  expect((await setupOn(host.dir)).result.exitCode).toBe(0)
  host.edit(addAgent)
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
