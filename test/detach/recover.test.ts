// recover as a service: what is handed over, and what a killed one leaves.
import {beforeEach, expect, test} from 'vitest'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {InterruptedError} from '../../src/pipeline/run/to-user-error.js'
import {halt} from '../steps/drifts/services.js'
import type {HostFolder} from '../steps/host-folder.js'
import {statusOn} from '../status/status-on.js'
import {hostWithProgram, PROFILE, requestOn, serve, serviceOn, session} from './detached.js'

let host: HostFolder

beforeEach(async () => {
  host = await hostWithProgram()
  expect(await session(host, {isDetached: false})).toMatchObject({exitCode: 0})
  host.edit((world) => {
    const kubelet = world.services['kubelet']
    if (kubelet) halt(kubelet, world)
  })
})

test('the request has its options, and the service repairs the node', async () => {
  const result = await session(host, {command: 'recover', given: {timeout: '20m', yes: true}})
  expect(result).toMatchObject({command: 'recover', exitCode: 0, outcome: 'detached', steps: []})
  expect(JSON.parse(requestOn(host) ?? '')).toMatchObject({
    argv: [String.raw`--base-dir=C:\k`, '--timeout=1200s', '--yes'],
    command: 'recover',
  })
  const {document} = await statusOn(host.dir, {profile: PROFILE})
  expect(document.handedOver).toEqual({command: 'recover', state: 'running'})
  expect(await serve(host)).toMatchObject({command: 'recover', exitCode: 0, outcome: 'done', recap: {failed: 0}})
  expect(requestOn(host)).toBeUndefined()
  expect(serviceOn(host)).toBeUndefined()
  expect((await statusOn(host.dir, {profile: PROFILE})).document.verdict).toBe('healthy')
})

test('one that is stopped continues at the next start', async () => {
  await session(host, {command: 'recover', given: {}})
  const stop = new AbortController()
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      if (effect.what === 'startService') stop.abort(new InterruptedError())
      return perform()
    })
  expect(await serve(host, {signal: stop.signal, wrap})).toMatchObject({exitCode: 130})
  expect(requestOn(host)).toBeDefined()
  expect(await serve(host)).toMatchObject({command: 'recover', exitCode: 0})
  expect(serviceOn(host)).toBeUndefined()
})
