// Whatever happens to the journal: reset leaves the host as it does with an intact one, or it names everything that it
// left and exits with 7; and nothing that was there before setup is touched.
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {GivenOptions} from '../../src/config/options/options.js'
import {journalText} from '../../src/pipeline/ledger/journal-format.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {allowEverything} from '../fakes/administrator.js'
import {hostileLine} from '../pipeline/owned/hostile-entries.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'
import {makePolicyListsAnew, seedForeigners} from './foreigners.js'
import {resetOn} from './reset-run.js'
import {differences, type WholeHost, wholeHost} from './whole-host.js'

const RUNS = 8
const FOREIGNERS = 3
const ENVIRONMENT = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

/** One change to the journal's bytes. */
type Damage = (journal: Buffer) => Buffer

const linesOf = (journal: Buffer): string[] => journal.toString('latin1').split('\n').slice(0, -1)
const onLines =
  (change: (lines: string[]) => string[]): Damage =>
  (journal) =>
    Buffer.from(`${change(linesOf(journal)).join('\n')}\n`, 'latin1')
const place = fc.double({max: 1, maxExcluded: true, min: 0, noNaN: true})
const at = (lines: {readonly length: number}, share: number): number => Math.floor(share * lines.length)

const dropped = fc
  .array(place, {maxLength: 5, minLength: 1})
  .map((places) => onLines((lines) => lines.filter((_, nth) => !places.some((one) => at(lines, one) === nth))))
const truncated = place.map(
  (share): Damage =>
    (journal) =>
      journal.subarray(0, at(journal, share)),
)
const flipped = fc
  .array(fc.tuple(place, fc.integer({max: 255, min: 1})), {maxLength: 4, minLength: 1})
  .map((flips): Damage => (journal) => {
    const bytes = Buffer.from(journal)
    for (const [share, mask] of flips) if (bytes.length > 0) bytes[at(bytes, share)]! ^= mask
    return bytes
  })
const inserted = fc
  .tuple(
    place,
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.constant('\u0000'.repeat(512)),
      hostileLine.map((line) => JSON.stringify({...line.entry, step: line.step})),
    ),
  )
  .map(([share, text]) => onLines((lines) => lines.toSpliced(at(lines, share), 0, text)))
/** Numbered, and with its checksum: by a user who knows how. */
const forged = fc
  .tuple(place, fc.array(hostileLine, {maxLength: 5, minLength: 1}), fc.nat(200))
  .map(([share, lines, first]) =>
    onLines((all) =>
      all.toSpliced(
        at(all, share),
        0,
        journalText(
          lines.map((line) => ({...line, at: ''})),
          first,
        ).trimEnd(),
      ),
    ),
  )
const doubled = place.map((share) =>
  onLines((lines) => lines.toSpliced(at(lines, share), 0, ...lines.slice(at(lines, share)))),
)
const reordered = fc.infiniteStream(fc.nat()).map((order) =>
  onLines((lines) => {
    const keyed = lines.map((line) => [order.next().value as number, line] as const)
    return keyed.sort(([a], [b]) => a - b).map(([, line]) => line)
  }),
)
const anyDamage = fc.array(fc.oneof(dropped, truncated, flipped, inserted, forged, doubled, reordered), {
  maxLength: 3,
  minLength: 1,
})

/** Each image by each of its names: their order says nothing. */
function viewOf(host: HostFolder): WholeHost {
  const {docker} = host.world
  const images = docker.images.flatMap(({id, tags}) => tags.map((tag) => [`image > ${tag}`, id] as const))
  const rest = [...wholeHost(host)].filter(([path]) => !path.startsWith('world > docker > images'))
  return new Map([...rest, ...images])
}

/** What a report must have in it to name this difference. */
function isNamed(difference: string, told: string): boolean {
  const image = /^image > (\S+): /.exec(difference)?.[1]
  if (image !== undefined) return told.includes(image)
  if (/^world > (?:environment|registry > [^>]+Environment) > KUBECONFIG/.test(difference))
    return told.includes('kubeconfig')
  const file = /^files > (.+?): nothing -> /.exec(difference)?.[1]
  const path = file === undefined ? /^world > security > (.+?): nothing -> /.exec(difference)?.[1] : `c:/${file}`
  const parts = path?.toLowerCase().replaceAll('/', '\\').split('\\') ?? []
  // A folder that stays only because of what is left in it. The journal, in the base directory, is always named.
  const isOuter = parts.length > 1 && parts[1] !== 'k' && parts[1] !== 'node'
  if (isOuter && / -> (?:folder$|O:)/.test(difference) && told.includes(`${parts.join('\\')}\\`)) return true
  // By itself, or with a folder that it is in.
  const depth = parts[1] === 'var' || parts[1] === 'k' ? 3 : 2
  return parts.some(
    (_, nth) =>
      nth + 1 >= Math.min(depth, parts.length) &&
      new RegExp(String.raw`(?:^|[ ,;])${escaped(parts.slice(0, nth + 1).join('\\'))}(?=[,; ]|$)`).test(told),
  )
}

const escaped = (text: string): string => text.replaceAll(/[.\\$+()]/g, String.raw`\$&`)

interface Kind {
  readonly baseDir: string
  readonly given: GivenOptions
  prepare(host: HostFolder): void
}

const HOSTS: readonly (readonly [string, Kind])[] = [
  [
    'on a host where others live',
    {
      baseDir: 'k',
      given: {},
      prepare(host) {
        seedForeigners(host, FOREIGNERS)
        // In the place of what setup makes, which keeps it aside.
        host.put(String.raw`k\kubelet-config.yaml`, 'theirs')
        host.put(String.raw`k\cni\config\cni.conf`, 'theirs')
        host.edit((world) => {
          world.environment['KUBECONFIG'] = String.raw`C:\theirs\kubeconfig`
          const registry = world.registry[ENVIRONMENT]
          if (registry) registry['KUBECONFIG'] = {data: String.raw`C:\theirs\kubeconfig`, type: 'REG_SZ'}
        })
      },
    },
  ],
  [
    'of a base directory that setup made',
    {
      baseDir: 'node',
      given: {'base-dir': String.raw`C:\node`, kubeconfig: String.raw`C:\k\kubeconfig`},
      prepare() {},
    },
  ],
]

describe.each(HOSTS)('a damaged journal %s', (_, {baseDir, given, prepare}) => {
  const path = `${baseDir}\\k8s-win\\journal.ndjson`
  const made = HostFolder.empty()
  let before: WholeHost
  beforeAll(async () => {
    await openSimulator({dir: made.dir, profile: 'ws2019'})
    made.edit(allowEverything)
    prepare(made)
    before = viewOf(made)
    const {result} = await setupOn(made.dir, given)
    expect(result.error).toBeUndefined()
    makePolicyListsAnew(made, baseDir === 'k' ? FOREIGNERS : 0)
  })
  afterAll(() => made.discard())

  async function judge(damage: Damage): Promise<number> {
    const host = made.copy()
    try {
      host.put(path, damage(Buffer.from(host.read(path))))
      const {result, ...end} = await resetOn(host.dir, {baseDir: `C:\\${baseDir}`, given: {purge: true, yes: true}})
      const told = end.told.toLowerCase()
      const left = differences(before, viewOf(host))
      expect(left.filter((one) => !isNamed(one, told))).toEqual([])
      expect(left.filter((one) => !one.includes(': nothing -> ') && !/^image > |KUBECONFIG/.test(one))).toEqual([])
      expect([0, 7]).toContain(result.exitCode)
      if (left.length > 0) expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7})
      return result.exitCode
    } finally {
      host.discard()
    }
  }

  it('that is whole after all leaves nothing', async () => {
    expect(await judge((journal) => journal)).toBe(0)
    expect(await judge(onLines((lines) => lines.toReversed()))).toBe(0)
  })

  it('review R1: leaves the host as an intact one does, or every leftover named and exit code 7', async () => {
    await fc.assert(
      fc.asyncProperty(anyDamage, async (damages) => {
        await judge((journal) => damages.reduce((bytes, damage) => damage(bytes), journal))
      }),
      {endOnFailure: true, numRuns: RUNS},
    )
  }, 180_000)
})
