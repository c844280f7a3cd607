// The loop on a simulated node: what it costs while nothing is wrong, what it repairs, and what it survives.
import {expect, test} from 'vitest'
import {halt} from '../../steps/drifts/services.js'
import {WatchedHost} from './watched-host.js'

test('a daemon that died is started when the service manager has had its time', async () => {
  const host = await WatchedHost.setUp()
  await host.pass(20_000)
  expect(host.state).toMatchObject({troubles: [], verdict: 'healthy'})
  const {kubelet} = host.world.services
  halt(kubelet!, host.world)
  kubelet!.exitCode = 1067
  await host.pass(30_000)
  expect(host.state).toMatchObject({
    troubles: [{component: 'kubelet', reason: 'KubeletStopped'}],
    verdict: 'recovering',
  })
  expect(host.repairs).toEqual([])
  await host.pass(90_000)
  expect(host.repairs).toMatchObject([{steps: ['kubelet-service']}])
  expect(host.state).toMatchObject({repairs: [{outcome: 'repaired', what: 'kubelet'}], verdict: 'healthy'})
  await host.stop()
})
