import {beforeEach, describe, expect, it} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {type Effect, interceptMachine} from '../../../src/machine/intercept.js'
import type {Machine} from '../../../src/machine/machine.js'
import {FileError} from '../../../src/machine/files.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {isStale} from '../../../src/pipeline/run/health-document.js'
import {healthFile, readHealth} from '../../../src/runs/watch/state-files.js'
import {ADMINISTRATORS_ONLY} from '../../../src/host/security/security.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {schemaErrors} from '../../schemas.js'
import {HostFolder} from '../../steps/host-folder.js'
import {NOW, state, stopped} from './state.js'

const baseDir = String.raw`C:\k`
const {health, state: folder} = layoutOf(baseDir)
const MINUTE = 60_000

let machine: Machine
let writes: Effect[]
let refuses = false

beforeEach(async () => {
  const simulated = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2025'})
  await simulated.files.makeDirectory(folder, {security: ADMINISTRATORS_ONLY})
  writes = []
  refuses = false
  machine = interceptMachine(simulated, (effect, perform) => {
    if (effect.kind === 'change') writes.push(effect)
    if (effect.kind === 'change' && refuses) throw new FileError('write', health, 'ENOSPC')
    return perform()
  })
})

const reporter = (redactor = createRedactor()) => healthFile({baseDir, machine, redact: redactor.redact})
const document = () => readHealth(machine, baseDir)

describe('health.json', () => {
  it('review W3-9: a folder in its place is moved aside', async () => {
    await machine.files.makeDirectory(health)
    await machine.files.write(`${health}\\mine.txt`, 'of a user')
    await reporter().report(state({verdict: 'healthy'}))
    expect(await document()).toMatchObject({verdict: 'healthy'})
    expect(await machine.files.read(`${health}.damaged\\mine.txt`)).toEqual(Buffer.from('of a user'))
  })

  it('has the verdict, the problems and the repairs, as its schema says', async () => {
    const repairs = [{at: NOW - MINUTE, outcome: 'repaired', what: 'flanneld'}] as const
    await reporter().report(state({repairs, since: NOW - 5000, troubles: [stopped('flanneld')], verdict: 'degraded'}))
    const found = await document()
    expect(schemaErrors('health', found)).toEqual([])
    expect(found).toMatchObject({
      at: '2026-11-18T12:00:00.000Z',
      problems: [{id: 'SERVICE_DOWN'}],
      repairs: [{at: '2026-11-18T11:59:00.000Z', outcome: 'repaired', what: 'flanneld'}],
      schemaVersion: 1,
      simulated: true,
      since: '2026-11-18T11:59:55.000Z',
      verdict: 'degraded',
    })
    expect(found).not.toHaveProperty('detail')
  })

  it('is written on change, and every 5 minutes', async () => {
    const {report} = reporter()
    for (let at = NOW; at < NOW + 60 * MINUTE; at += 15_000) await report(state({at}))
    expect(writes).toHaveLength(12)
    await report(state({at: NOW + 60 * MINUTE, detail: 'paused until 14:00', verdict: 'paused'}))
    await report(state({at: NOW + 60 * MINUTE + 15_000, detail: 'paused until 14:00', verdict: 'paused'}))
    expect(writes).toHaveLength(13)
    expect(await document()).toMatchObject({detail: 'paused until 14:00', verdict: 'paused'})
  })

  it('is written when the clock was set back', async () => {
    const {report} = reporter()
    await report(state())
    await report(state({at: NOW - 24 * 60 * MINUTE}))
    expect(writes).toHaveLength(2)
  })

  it('is written again when a full disk has room', async () => {
    const {report} = reporter()
    refuses = true
    await report(state())
    refuses = false
    await report(state({at: NOW + 2000}))
    expect(await document()).toMatchObject({at: '2026-11-18T12:00:02.000Z'})
  })

  it('says at an orderly stop that the node is not watched', async () => {
    const {end, report} = reporter()
    await report(state({verdict: 'healthy'}))
    await end?.()
    expect(await document()).toMatchObject({detail: expect.any(String) as string, verdict: 'unknown'})
  })

  it('has no secret', async () => {
    const redactor = createRedactor()
    redactor.register('s3cr3t-of-a-node')
    await reporter(redactor).report(state({detail: 'because of s3cr3t-of-a-node'}))
    expect(await document()).toMatchObject({detail: 'because of ***'})
  })

  it('is not written to a folder that others can write to, nor read from it', async () => {
    await machine.win32.setSecurity(folder, 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;BU)')
    await machine.files.write(health, JSON.stringify({verdict: 'healthy'}))
    writes = []
    await reporter().report(state())
    expect(writes).toEqual([])
    expect(await document()).toBeUndefined()
  })

  it('is not made where its folder is gone', async () => {
    await machine.files.remove(folder)
    await reporter().report(state())
    expect(await machine.files.status(folder)).toBeUndefined()
  })

  it.each([
    '',
    '{',
    '[]',
    '{"verdict":"healthy"}',
    '{"at":"x","since":"y","verdict":"fine","problems":3,"repairs":[1]}',
  ])('that is damaged is none: %s', async (text) => {
    await machine.files.write(health, text)
    expect(await document()).toBeUndefined()
  })

  it('is stale when its writer has missed its time, or the clock has moved', () => {
    const at = new Date(NOW).toISOString()
    expect([5, 10, 12, -12].map((minutes) => isStale(at, NOW + minutes * MINUTE))).toEqual([false, false, true, true])
  })
})
