// A journal of which some lines were lost: what it still names goes, and what says itself that it is k8s-win's goes too.
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {differences, type WholeHost, wholeHost} from './whole-host.js'
import {isWhole} from '../sample.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const made = HostFolder.empty()
let before: WholeHost
let lines: readonly string[]
beforeAll(async () => {
  await openSimulator({dir: made.dir, profile: 'ws2019'})
  made.edit(allowEverything)
  before = wholeHost(made)
  expect((await setupOn(made.dir)).result.exitCode).toBe(0)
  lines = made.read(JOURNAL).trimEnd().split('\n')
})
afterAll(() => made.discard())

async function resetWith(journal: string, yes = true): ReturnType<typeof resetOn> {
  const host = made.copy()
  try {
    host.put(JOURNAL, journal)
    const end = await resetOn(host.dir, {given: {purge: true, yes}})
    if (end.result.exitCode === 2) return end
    const {cluster, environment, firewall, hns, services} = host.world
    expect(Object.keys(services).filter((name) => /^(?:kube|flannel)/.test(name))).toEqual([])
    expect(Object.keys(firewall)).toEqual([])
    expect(hns.networks.map((network) => network['Name'])).toEqual(['nat'])
    expect(cluster.nodes.map(({name}) => name)).not.toContain('win-1')
    expect(environment).not.toHaveProperty('KUBECONFIG')
    expect(environment['Path']).not.toContain('kubernetes')
    // What only the lost lines named stays; nothing that was there before is touched.
    const lost = differences(before, wholeHost(host)).filter((one) => !one.includes(': nothing -> '))
    expect(lost.filter((one) => !one.startsWith('world > security > ') && !one.startsWith('world > docker'))).toEqual(
      [],
    )
    return end
  } finally {
    host.discard()
  }
}

describe('a journal with lines that cannot be read', () => {
  it('has no daemon, door, network or node of k8s-win left behind, whichever lines they were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(lines.length - 1), {maxLength: 60, minLength: 1}), async (broken) => {
        const text = lines.map((line, nth) => (broken.includes(nth) ? `\u0000${line.slice(9)}` : line)).join('\n')
        const {error, exitCode} = (await resetWith(`${text}\n`)).result
        // Every line may be the one that would have proven something.
        expect([exitCode, error?.id]).toEqual(exitCode === 0 ? [0, undefined] : [7, 'RESET_UNPROVEN'])
      }),
      {endOnFailure: true, numRuns: isWhole ? 40 : 3},
    )
  })

  it('is reported, and asks where something is known by its mark only', async () => {
    const text = lines.map((line) => (line.includes('"kind":"service"') ? '%%%' : line)).join('\n')
    const refused = await resetWith(`${text}\n`, false)
    expect(refused.result).toMatchObject({error: {id: 'YES_NEEDED'}, exitCode: 2})
    const {result, warnings} = await resetWith(`${text}\n`)
    expect(result.exitCode).toBe(0)
    expect(warnings.join('\n')).toContain('cannot be read')
  })

  it('asks nothing where all that matters is still noted', async () => {
    const text = lines.map((line) => (line.includes('"kind":"image-proof"') ? '%%%' : line)).join('\n')
    expect((await resetWith(`${text}\n`, false)).result.exitCode).toBe(0)
  })
})

describe('a journal whose last line was cut short', () => {
  /** `end`: what the line that is cut has in it; those after it are gone. The warnings of reset, which leaves nothing. */
  const cut = async (end: string, work: (host: HostFolder) => unknown): Promise<readonly string[]> => {
    const host = made.copy()
    try {
      const nth = lines.findLastIndex((line) => line.includes(end))
      expect(nth).toBeGreaterThan(0)
      host.put(JOURNAL, `${lines.slice(0, nth + 1).join('\n')}\n`.slice(0, -37))
      await work(host)
      const {result, warnings} = await resetOn(host.dir, {given: {purge: true}})
      expect(result.error).toBeUndefined()
      expect(differences(before, wholeHost(host))).toEqual([])
      return warnings
    } finally {
      host.discard()
    }
  }

  it('by a kill, before what it notes is made: nothing is left behind, asked or reported', async () => {
    const killed = (host: HostFolder): void => {
      for (const path of [String.raw`k\cni\config\cni.conf`, String.raw`k\k8s-win\node.yaml`]) host.remove(path)
    }
    expect(await cut('cni.conf', killed)).toEqual([])
  })

  it('after setup has finished is reported, leaves nothing behind, and asks nothing', async () =>
    expect(await cut('"kind":"setup"', () => {})).toEqual([expect.stringContaining('its end is missing')]))

  it('is whole again after the next setup', async () =>
    expect(await cut('"kind":"setup"', async ({dir}) => expect((await setupOn(dir)).result.exitCode).toBe(0))).toEqual(
      [],
    ))
})
