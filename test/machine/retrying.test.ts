import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {DeadlineError} from '../../src/machine/clock.js'
import {HttpError, type HttpRequest, type HttpResponse} from '../../src/machine/http.js'
import type {Machine} from '../../src/machine/machine.js'
import {retryingMachine} from '../../src/machine/retrying.js'
import {retryAfterMs} from '../../src/machine/retrying.js'
import {Win32Error} from '../../src/machine/win32.js'
import {handClock} from '../fakes/hand-clock.js'
import {standIn} from './stand-in.js'

const GET: HttpRequest = {deadlineMs: 1000, effect: 'read', method: 'GET', url: 'https://example.test/x'}
const broken = (code: string, options?: ErrorOptions): HttpError => new HttpError(GET.url, code, code, options)
const answer = (status: number, headers: Record<string, string> = {}): HttpResponse => ({
  body: Buffer.alloc(0),
  headers,
  status,
})

/** A machine that gives these answers, one after the other; the last one stays. */
function giving(...answers: readonly unknown[]) {
  const clock = handClock()
  const told: string[] = []
  let asked = 0
  const give = async (): Promise<never> => {
    const next = answers[Math.min(asked++, answers.length - 1)]
    if (next instanceof Error) throw next
    return next as never
  }
  const {machine} = standIn()
  const win32 = Object.fromEntries(Object.keys(machine.win32).map((call) => [call, give]))
  const giver = {...machine, clock, http: {download: give, request: give, stream: give}, win32} as unknown as Machine
  const abort = new AbortController()
  const patient = retryingMachine(giver, {onRetry: (message) => told.push(message), signal: abort.signal})
  return {abort, asked: () => asked, clock, patient, told}
}

describe('a cause that passes by itself', () => {
  it.each([
    ['a reset connection', broken('ECONNRESET')],
    ['an answer cut short', broken('TRUNCATED')],
    ['a name server that does not answer', broken('EAI_AGAIN')],
    ['a busy pipe', broken('EBUSY')],
    ['too many requests', answer(429)],
    ['a server that starts', answer(503)],
    ['a gateway that gave up', answer(504)],
  ])('%s: tried again, with growing pauses', async (_, failure) => {
    const {asked, clock, patient, told} = giving(failure, failure, answer(200))
    expect((await patient.http.request(GET)).status).toBe(200)
    expect(asked()).toBe(3)
    expect(clock.slept).toEqual([1000, 2000])
    expect(told).toHaveLength(2)
    expect(told[0]).toMatch(/^GET https:\/\/example\.test\/x .*; trying again in 1 s$/)
  })

  it('review J4: not all at the same moment: a pause is up to half as long again, and never shorter', async () => {
    const {clock, patient} = giving(answer(503, {'retry-after': '7'}), answer(503), answer(503), answer(200))
    const draws = [0.5, 0.999, 0]
    clock.random = () => draws.shift() ?? 0
    await patient.http.request(GET)
    expect(clock.slept).toEqual([8750, 2999, 4000])
  })

  it.each([answer(500), broken('ECONNRESET')])(
    'review J15: a change whose second request changes nothing, such as a cordon, is tried again',
    async (failure) => {
      const {asked, patient} = giving(failure, answer(200))
      const patch: HttpRequest = {...GET, effect: 'change', isRepeatable: true, method: 'PATCH'}
      expect((await patient.http.request(patch)).status).toBe(200)
      expect(asked()).toBe(2)
    },
  )

  it('is reported as it is when it does not pass', async () => {
    const silent = giving(broken('ECONNRESET'))
    await expect(silent.patient.http.request(GET)).rejects.toMatchObject({code: 'ECONNRESET'})
    expect(silent.asked()).toBe(4)
    const busy = giving(answer(503))
    expect((await busy.patient.http.request(GET)).status).toBe(503)
    expect(busy.asked()).toBe(4)
  })

  it('waits as long as the server asks for, and not at all where that is too long', async () => {
    const soon = giving(answer(429, {'retry-after': '7'}), answer(200))
    await soon.patient.http.request(GET)
    expect(soon.clock.slept).toEqual([7000])
    const late = giving(answer(503, {'retry-after': '3600'}), answer(200))
    expect((await late.patient.http.request(GET)).status).toBe(503)
    expect(late.clock.slept).toEqual([])
  })

  it('of a download: by its status and its header', async () => {
    const {clock, patient} = giving({retryAfter: '5', status: 503}, broken('TRUNCATED'), {status: 200})
    const request = {deadlineMs: 1, to: String.raw`C:\x`, url: GET.url}
    expect(await patient.http.download(request)).toEqual({status: 200})
    expect(clock.slept).toEqual([5000, 2000])
  })

  it.each([32, 33, 170, 1055, 1722, 1723])('of a Windows call: %s', async (code) => {
    const {patient, told} = giving(new Win32Error('StartServiceW', code, 'kubelet'), undefined)
    await patient.win32.startService('kubelet')
    expect(told).toEqual([`startService(kubelet) was refused with Windows error ${code}; trying again in 1 s`])
  })

  it('of HNS, which has its code in the answer', async () => {
    const {asked, patient} = giving({hresult: -2_147_023_174, response: ''}, {hresult: 0, response: '{}'})
    expect(await patient.win32.hnsCall('GET', '/networks/', '')).toEqual({hresult: 0, response: '{}'})
    expect(asked()).toBe(2)
  })

  it('is not waited for any longer than the run', async () => {
    const {abort, asked, patient} = giving(broken('ECONNRESET'))
    abort.abort(new Error('interrupted'))
    await expect(patient.http.request(GET)).rejects.toMatchObject({code: 'ECONNRESET'})
    expect(asked()).toBe(1)
  })
})

describe('reported at once', () => {
  it.each([
    ['a file that is not there', answer(404)],
    ['no right to it', answer(403)],
    ['no identity', answer(401)],
    ['a port nobody listens on', broken('ECONNREFUSED')],
    ['a name nobody knows', broken('ENOTFOUND')],
    ['a certificate', broken('CERT_HAS_EXPIRED')],
    ['a deadline of its own', broken('ETIMEDOUT', {cause: new DeadlineError(1000)})],
    ['a bug', new TypeError('surprise')],
  ])('%s', async (_, failure) => {
    const {asked, clock, patient} = giving(failure)
    await patient.http.request(GET).catch(() => undefined)
    expect({asked: asked(), slept: clock.slept}).toEqual({asked: 1, slept: []})
  })

  it.each([
    ['a probe', {...GET, isProbe: true}],
    ['a body that can be sent once', {...GET, body: (async function* () {})(), effect: 'read'}],
  ] as const)('%s', async (_, request) => {
    const {asked, patient} = giving(answer(503))
    await patient.http.request(request)
    expect(asked()).toBe(1)
  })

  it('a change whose connection broke: it may have happened', async () => {
    const lost = giving(broken('ECONNRESET'))
    const change = {...GET, effect: 'change', method: 'POST'} as const
    await expect(lost.patient.http.request(change)).rejects.toMatchObject({code: 'ECONNRESET'})
    expect(lost.asked()).toBe(1)
    const refused = giving(answer(500))
    expect((await refused.patient.http.request(change)).status).toBe(500)
    expect(refused.asked()).toBe(1)
    const notTaken = giving(answer(503), answer(201))
    expect((await notTaken.patient.http.request(change)).status).toBe(201)
  })

  it.each([2, 5, 1053, 1056, 1058, 1060, 1061, 1062, 1067, 1072])('Windows error %s', async (code) => {
    const {asked, patient} = giving(new Win32Error('StartServiceW', code, 'kubelet'))
    await expect(patient.win32.startService('kubelet')).rejects.toMatchObject({code})
    expect(asked()).toBe(1)
  })
})

it('reads Retry-After, whatever stands there', () => {
  expect(retryAfterMs('120', 0)).toBe(120_000)
  expect(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT', Date.UTC(2015, 9, 21, 7, 27))).toBe(60_000)
  expect(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT', Date.UTC(2016, 1, 1))).toBe(0)
  expect(retryAfterMs('soon', 0)).toBeUndefined()
  expect(retryAfterMs(undefined, 0)).toBeUndefined()
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = retryAfterMs(text, 0)
      expect(ms === undefined || ms >= 0).toBe(true)
    }),
  )
})
