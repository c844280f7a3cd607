// Every unhealthy host: status and doctor give one verdict and one first cause, and setup repairs it or ends with it.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {examine} from '../doctor/doctor-rig.js'
import {turn} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {UNHEALTHY_HOSTS, type UnhealthyHost} from '../hosts/unhealthy-nodes.js'

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

function made({make}: Pick<UnhealthyHost, 'make'>): HostFolder {
  const copy = node.copy()
  onTestFinished(() => copy.discard())
  make(copy)
  return copy
}

/** A repair takes as long as all the rest: npm run test:crash has those of the others. */
const REPAIRED = new Set(turn(UNHEALTHY_HOSTS, 0, 6))

describe('an unhealthy host', () => {
  test('there are at least 40 of them, each with its own name', () => {
    expect(new Set(UNHEALTHY_HOSTS.map(({name}) => name)).size).toBeGreaterThanOrEqual(40)
    expect(new Set(UNHEALTHY_HOSTS.map(({name}) => name)).size).toBe(UNHEALTHY_HOSTS.length)
  })

  test.each(UNHEALTHY_HOSTS)('$name', async (unhealthy) => {
    const {id, setup, subject, verdict = 'degraded'} = unhealthy
    const host = made(unhealthy)
    const {document: status} = await statusOn(host.dir)
    const {document: doctor} = await examine(host)
    const [first] = [...status.problems, ...status.notChecked.map(({id: why, what}) => ({id: why, subject: what}))]
    expect({exitCode: status.exitCode, id: first?.id, verdict: status.verdict}).toEqual({exitCode: 8, id, verdict})
    expect(first?.subject).toMatch(subject)
    expect({exitCode: doctor.exitCode, health: doctor.health, id: doctor.problems[0]?.id}).toEqual({
      exitCode: 3,
      health: verdict,
      id,
    })
    if (verdict === 'degraded') expect(doctor.problems[0]?.subject).toBe(first?.subject)
    // No advice may cost the node.
    for (const {next} of status.problems) expect(next).not.toMatch(/\breset\b/)

    if (!REPAIRED.has(unhealthy)) return
    const {result} = await setupOn(host.dir)
    if (setup === 'repairs') {
      expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
      expect((await statusOn(host.dir)).document).toMatchObject({
        exitCode: 0,
        problems: [],
        notChecked: [],
        verdict: 'healthy',
      })
    } else {
      const ids = (result.errors ?? (result.error ? [result.error] : [])).map((error) => error.id)
      expect(setup).toContain(ids[0])
      expect(result.exitCode).not.toBe(0)
    }
  })
})
