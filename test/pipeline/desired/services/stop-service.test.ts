// What the service manager refuses is reported in words; unexpected errors stay as they are.
import {describe, expect, it} from 'vitest'
import type {Services} from '../../../../src/host/services/services.js'
import {Win32Error} from '../../../../src/machine/win32.js'
import {callService, restService, startService} from '../../../../src/pipeline/desired/services/stop-service.js'
import type {StepContext} from '../../../../src/pipeline/run/step.js'
import {only} from '../../../fakes/partial.js'

const refusedWith = (code: number): Promise<void> =>
  callService('kubelet', 'started', () => Promise.reject(new Win32Error('StartServiceW', code, 'kubelet')))

it.each([
  [2, 'The program of the service does not exist'],
  [5, 'Access denied'],
  [193, 'damaged, or for another processor'],
  [1058, 'The service is disabled'],
  [1068, 'A service that it depends on does not start'],
  [1069, 'cannot log on'],
  [1072, 'marked for deletion'],
  [1075, 'does not exist'],
])('Windows error %i: %s', async (code, meaning) => {
  await expect(refusedWith(code)).rejects.toMatchObject({
    exitCode: 5,
    fix: expect.stringContaining('sc.exe query kubelet') as string,
    id: 'SERVICE_REFUSED',
    message: 'The service kubelet could not be started',
    reason: expect.stringMatching(`${code}: .*${meaning}`) as string,
  })
})

it('what to do names the service', async () => {
  await expect(refusedWith(1058)).rejects.toMatchObject({
    fix: expect.stringMatching(/^Enable it: "sc\.exe config kubelet start= auto"\. /) as string,
  })
})

it('another error is not its business', async () => {
  await expect(refusedWith(87)).rejects.toBeInstanceOf(Win32Error)
  const other = Object.assign(new Error('not of Windows'), {code: 5})
  await expect(callService('kubelet', 'started', () => Promise.reject(other))).rejects.toBe(other)
})

it('a call without a mistake has none', async () => {
  await expect(callService('kubelet', 'started', () => Promise.resolve())).resolves.toBeUndefined()
})

function contextOf(services: Partial<Services>, adopt = false) {
  const told: string[] = []
  const context = only<StepContext>('context', {
    changed: (what: string) => void told.push(`changed: ${what}`),
    config: only<StepContext['config']>('config', {adopt}),
    host: only<StepContext['host']>('host', {services: only<Services>('services', services)}),
    signal: new AbortController().signal,
    progress: () => undefined,
    warn: (what: string) => void told.push(`warning: ${what}`),
  })
  return {context, told}
}

it('what had to stop with a service is started again with it, and what does not start is reported', async () => {
  const started: string[] = []
  const {context, told} = contextOf({
    start: async (name) => void started.push(name),
    startAgain: async () => ({failed: ['agent'], started: ['proxy']}),
  })
  await startService(context, 'kubelet')
  expect(started).toEqual(['kubelet'])
  expect(told).toEqual([
    expect.stringMatching(/^changed: start the service proxy again/),
    expect.stringMatching(/^warning: the service agent .* net start agent$/),
  ])
})

describe('a service that is to be at rest', () => {
  const resting = (isOurs: boolean, adopt: boolean, gone: readonly string[] = []) => {
    const stopped = ['before']
    const rested: string[] = []
    const made = contextOf(
      {
        isOurs: async () => isOurs,
        async rest(name) {
          rested.push(name)
          stopped.push(...gone)
        },
        stopped: () => [...stopped],
      },
      adopt,
    )
    return {...made, rested}
  }

  it.each([
    ["k8s-win's", true, false, ['kubelet']],
    ["not k8s-win's", false, false, []],
    ["not k8s-win's, but to be adopted", false, true, ['kubelet']],
  ])('and is %s', async (_, isOurs, adopt, names) => {
    const {context, rested} = resting(isOurs, adopt)
    await restService(context, 'kubelet')
    expect(rested).toEqual(names)
  })

  it('reports what had to stop with it, and neither daemons nor what was stopped before', async () => {
    const {context, told} = resting(true, false, ['agent', 'KubeProxy', 'flanneld'])
    await restService(context, 'kubelet')
    expect(told).toEqual(['warning: the service agent was stopped, because it depends on kubelet'])
  })

  it('is reported in words where Windows refuses', async () => {
    const {context} = contextOf({
      isOurs: async () => true,
      rest: () => Promise.reject(new Win32Error('ControlService', 5, 'kubelet')),
      stopped: () => [],
    })
    await expect(restService(context, 'kubelet')).rejects.toMatchObject({id: 'SERVICE_REFUSED'})
  })
})
