// The proof of reset: with twenty things of others of each kind on the host, it is after setup and reset --purge what it
// was before setup; without --purge it differs by what stays, and by nothing else.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {HostFolder} from '../steps/host-folder.js'
import {EACH, makePolicyListsAnew, seedForeigners} from './foreigners.js'
import {OTHERS, resetAsOthers} from './others-rules.js'
import {resetOn} from './reset-run.js'
import {differences, type WholeHost, wholeHost} from './whole-host.js'

/** docs/reset.md: without --purge images, downloads, our own logs and result.json stay, with what is needed to know them. */
const STAYS =
  /^(?:files > k\/(?:downloads|logs|k8s-win)(?:\/|:)|world > docker > images(?: |$)|world > security > c:\\k\\(?:downloads|logs|k8s-win)(?:\\|:))/

const made = HostFolder.empty()
let before: WholeHost

beforeAll(async () => {
  await openSimulator({dir: made.dir, profile: 'ws2019'})
  made.edit(allowEverything)
  seedForeigners(made)
  before = wholeHost(made)
  const {result} = await setupOn(made.dir)
  expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
  makePolicyListsAnew(made)
})
afterAll(() => made.discard())

async function on<T>(work: (host: HostFolder) => Promise<T>): Promise<T> {
  const host = made.copy()
  try {
    return await work(host)
  } finally {
    host.discard()
  }
}

describe('the seeds', () => {
  it('are twenty of each kind, and setup has changed the host around them', () => {
    const seeded = (pattern: RegExp): number => [...before.keys()].filter((path) => pattern.test(path)).length
    for (const kind of [
      /^world > services > theirs-\d+$/,
      /^world > firewall > theirs \d+$/,
      /^world > environment > THEIRS_\d+$/,
      /^world > registry > HKLM\\SOFTWARE\\Theirs > value \d+$/,
      /^world > docker > containers > \d+$/,
      /^world > docker > images > \d+$/,
      /^world > hns > endpoints > \d+$/,
      /^world > hns > policyLists > \d+$/,
      /^files > k\/theirs-\d+\.txt$/,
      /^files > k\/downloads\/theirs-\d+\.zip$/,
      /^files > etc\/theirs-\d+\.conf$/,
      /^files > var\/lib\/theirs-\d+\/data\.db$/,
      /^files > run\/theirs-\d+\/state\.env$/,
    ]) {
      expect(seeded(kind), String(kind)).toBe(EACH)
    }
    expect(seeded(/^world > hns > networks > \d+$/)).toBe(EACH + 1)
    expect(differences(before, wholeHost(made)).length).toBeGreaterThan(200)
  })
})

describe('reset', () => {
  it('--purge leaves the host as it was before setup', () =>
    on(async (host) => {
      const {result} = await resetOn(host.dir, {given: {purge: true}})
      expect({error: result.error, exitCode: result.exitCode}).toEqual({exitCode: 0})
      expect(differences(before, wholeHost(host))).toEqual([])
    }))

  it('leaves what is documented, and nothing else; --purge after it takes that too', () =>
    on(async (host) => {
      expect((await resetOn(host.dir)).result.exitCode).toBe(0)
      const after = wholeHost(host)
      const seen = differences(before, after)
      expect(seen.filter((path) => !STAYS.test(path))).toEqual([])
      for (const stays of ['nanoserver:1809', 'servercore:ltsc2019', 'kubeletwin/pause']) {
        expect(
          [...after.values()].some((value) => value.includes(stays)),
          stays,
        ).toBe(true)
      }
      expect(seen.join('\n')).toMatch(/files > k\/downloads\/kubernetes-node/)
      expect(seen.join('\n')).toMatch(/files > k\/k8s-win\/result\.json/)
      const again = await resetOn(host.dir)
      expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
      expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
      expect(differences(before, wholeHost(host))).toEqual([])
    }))

  it('can be followed by another setup, and the host is as it was again', () =>
    on(async (host) => {
      await resetOn(host.dir)
      expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, node: {ready: true}})
      makePolicyListsAnew(host)
      expect((await resetOn(host.dir, {given: {purge: true}})).result.exitCode).toBe(0)
      expect(differences(before, wholeHost(host))).toEqual([])
    }))
})

describe('the same check on how others do it', () => {
  const lostOf = (seen: readonly string[]): string[] =>
    seen.filter((one) => /theirs/i.test(one) && / -> nothing$/.test(one))

  it.each(Object.keys(OTHERS))('%s fails', (name) =>
    on(async (host) => {
      const rules = OTHERS[name]
      if (!rules) throw new Error(name)
      await resetAsOthers(host.dir, rules)
      const seen = differences(before, wholeHost(host))
      expect(seen.filter((path) => !STAYS.test(path)).length).toBeGreaterThan(20)
      expect(lostOf(seen).length, 'things of others are lost').toBeGreaterThanOrEqual(EACH)
    }),
  )

  it('a single thing of others that is gone is seen, of every kind', async () => {
    const gone: readonly ((host: HostFolder) => void)[] = [
      (host) => host.remove(String.raw`etc\theirs-7.conf`),
      (host) => host.remove(String.raw`k\theirs-7.txt`),
      (host) => host.edit((world) => Reflect.deleteProperty(world.services, 'theirs-7')),
      (host) => host.edit((world) => Reflect.deleteProperty(world.firewall, 'theirs 7')),
      (host) => host.edit(({hns}) => void hns.networks.splice(7, 1)),
      (host) => host.edit(({hns}) => void hns.endpoints.splice(7, 1)),
      (host) => host.edit(({hns}) => void hns.policyLists.splice(7, 1)),
      (host) => host.edit(({docker}) => void docker.containers.splice(7, 1)),
      (host) => host.edit(({docker}) => void docker.images.splice(7, 1)),
      (host) => host.edit((world) => Reflect.deleteProperty(world.environment, 'THEIRS_7')),
      (host) => host.edit((world) => Reflect.deleteProperty(world.registry, String.raw`HKLM\SOFTWARE\Theirs`)),
    ]
    const fresh = HostFolder.empty()
    try {
      await openSimulator({dir: fresh.dir, profile: 'ws2019'})
      seedForeigners(fresh)
      let whole = wholeHost(fresh)
      for (const take of gone) {
        take(fresh)
        const after = wholeHost(fresh)
        expect(differences(whole, after), String(take)).not.toEqual([])
        whole = after
      }
    } finally {
      fresh.discard()
    }
  })
})
