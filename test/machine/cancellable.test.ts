import {describe, expect, it} from 'vitest'
import type {HttpRequest, HttpResponse} from '../../src/machine/http.js'
import {cancellableMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {watchPendingEffects} from '../../src/machine/pending-effects.js'
import type {RunOptions} from '../../src/machine/run.js'
import {standIn} from './stand-in.js'

/** Requests and programs that end only when their signal does. */
function hanging(machine: Machine): Machine {
  const until = (signal: AbortSignal | undefined): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
  return {
    ...machine,
    http: {...machine.http, request: ({signal}: HttpRequest): Promise<HttpResponse> => until(signal)},
    run: (_program, _args, {signal}: RunOptions) => until(signal),
  }
}

const GET: HttpRequest = {deadlineMs: 1000, effect: 'read', method: 'GET', url: 'https://example.test/x'}

describe('a machine that is cut off', () => {
  it('ends requests and programs under way, also those with a signal of their own, and begins nothing', async () => {
    const cut = new AbortController()
    const own = new AbortController()
    const machine = cancellableMachine(hanging(standIn().machine), cut.signal)
    const under = [
      machine.http.request(GET),
      machine.http.request({...GET, signal: own.signal}),
      machine.run('C:\\x.exe', [], {deadlineMs: 1000, effect: 'change', signal: own.signal}),
    ]
    const over = new Error('over')
    cut.abort(over)
    for (const one of await Promise.allSettled(under)) expect(one).toMatchObject({reason: over, status: 'rejected'})
    await expect(machine.files.write('C:\\x', '')).rejects.toBe(over)
    await expect(machine.win32.startService('kubelet')).rejects.toBe(over)
  })

  it('passes the caller its own reason, and everything on before', async () => {
    const own = new AbortController()
    const machine = cancellableMachine(hanging(standIn().machine), new AbortController().signal)
    const asked = machine.http.request({...GET, signal: own.signal})
    own.abort(new Error('own'))
    await expect(asked).rejects.toThrow('own')
    await machine.files.write('C:\\x', 'content')
  })
})

describe('what is under way', () => {
  it('is reported in words, the longest first, until it ends', async () => {
    const cut = new AbortController()
    const {machine, waitsFor} = watchPendingEffects(cancellableMachine(hanging(standIn().machine), cut.signal))
    expect(waitsFor()).toBeUndefined()
    const program = machine.run('C:\\Windows\\System32\\netsh.exe', ['advfirewall'], {deadlineMs: 9, effect: 'change'})
    const request = machine.http.request(GET)
    expect(waitsFor()).toBe('netsh.exe advfirewall; GET https://example.test/x')
    cut.abort(new Error('over'))
    await Promise.allSettled([program, request])
    expect(waitsFor()).toBeUndefined()
  })
})
