// An ordinary user listens on the port of a daemon's health: watch restarts nothing for it, and believes nothing.
import {expect, it} from 'vitest'
import {WatchedHost} from './watched-host.js'

const HOUR = 3_600_000

it.each([
  ['kubelet', 'tcp/10248', 'KubeletPortTaken'],
  ['kubeproxy', 'tcp/10256', 'KubeProxyPortTaken'],
] as const)("review A3-1: another program on the port of %s's health", async (service, port, reason) => {
  const host = await WatchedHost.setUp()
  await host.pass(60_000)
  const {processId} = host.world.services[service]!
  host.world.os.listening.push(port)
  await host.pass(HOUR)
  const troubles = host.state.troubles.map(({component, error, reason: why}) => [component, error.id, why])
  expect(troubles).toEqual([[service, 'PORT_TAKEN', reason]])
  expect(host.repairs).toEqual([])
  expect(host.world.services[service]!.processId).toBe(processId)
  host.world.os.listening = host.world.os.listening.filter((one) => one !== port)
  await host.pass(60_000)
  expect(host.state.verdict).toBe('healthy')
  await host.stop()
})
