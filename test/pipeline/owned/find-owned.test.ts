// What k8s-win created if the journal is lost: found by its marks, and nothing that was not created by k8s-win.
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {COMMON_DAEMONS} from '../../../src/config/daemons.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {openHost} from '../../../src/host/host.js'
import type {JournalKind} from '../../../src/pipeline/ledger/entries.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import {findByMarks, type FoundByMarks} from '../../../src/pipeline/owned/find-by-marks.js'
import {lostSteps} from '../../../src/pipeline/owned/find-owned.js'
import {possibleEntries} from '../../../src/pipeline/owned/kinds.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {assets} from '../../fixtures/assets.js'
import {makeRancher, makeSdn} from '../../fixtures/other-tools.js'
import {EACH, makePolicyListsAnew, seedForeigners} from '../../reset/foreigners.js'
import {resetOn} from '../../reset/reset-run.js'
import {differences, type WholeHost, wholeHost} from '../../reset/whole-host.js'
import {setupOn} from '../../setup/in-process.js'
import {allowEverything} from '../../fakes/administrator.js'
import {HostFolder, type HostPlace} from '../../steps/host-folder.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

async function marksOn(dir: HostPlace, baseDir = String.raw`C:\k`): Promise<FoundByMarks> {
  const config = setupConfig({'base-dir': baseDir})
  const machine = await openSimulator({dir, profile: 'ws2019'})
  const host = openHost(machine, {assets, baseDir, dockerPipe: config.dockerPipe})
  return findByMarks(host, config, {all: () => []})
}

/** Only the journal knew them: reset reports what they were for, or does not need them. */
const LOST: readonly JournalKind[] = [
  'environment-notified',
  'image-proof',
  'image-pull',
  'network-before',
  'network-verified',
  'release',
  'reservation',
  'security',
  'setup',
]
const kindsOf = ({lines}: FoundByMarks): JournalKind[] => [...new Set(lines.map(({entry}) => entry.kind))].sort()

describe('steps whose records are lost', () => {
  const noted = (...steps: readonly string[]): Parameters<typeof lostSteps>[0] => ({
    entries: ((step: string) => (steps.includes(step) ? [{}] : [])) as never,
  })
  const programs = ['kubernetes-binaries', 'cni-binaries', 'flannel-binary']

  it('with containerd have no image for Docker, and no base image where none was asked for', () => {
    const containerd = setupConfig({release: '1.36.4'})
    const none = setupConfig({'base-images': 'none', release: '1.36.4'})
    expect(lostSteps(noted('containerd-binaries', ...programs), none)).toEqual([])
    expect(lostSteps(noted('containerd-binaries', ...programs), containerd)).toEqual(['base-images'])
    expect(lostSteps(noted('base-images', ...programs), containerd)).toEqual(['containerd-binaries'])
  })

  it('with Docker have both', () => {
    expect(lostSteps(noted(...programs), setupConfig({release: '1.21.5'}))).toEqual(['base-images', 'pause-image'])
  })
})

describe('a host that k8s-win never saw', () => {
  it.each<[string, (dir: HostPlace) => Promise<unknown>]>([
    ['fresh', (dir) => openSimulator({dir, profile: 'ws2019'})],
    ["with Microsoft's set-up", makeSdn],
    ["with what Rancher's leaves", makeRancher],
  ])('%s has nothing of k8s-win', async (_, make) => {
    const {dir} = HostFolder.empty()
    await make(dir)
    expect((await marksOn(dir)).lines).toEqual([])
  })

  it("is reported for a network with k8s-win's name, which stays", async () => {
    const {dir} = HostFolder.empty()
    await makeRancher(dir)
    expect((await marksOn(dir)).remarks.join()).toMatch(
      /the HNS network vxlan0, because nothing proves .* hnsdiag delete networks/,
    )
  })
})

describe('a node whose journal is lost', () => {
  const made = HostFolder.empty()
  let before: WholeHost
  let recorded: JournalKind[]
  beforeAll(async () => {
    await openSimulator({dir: made.dir, profile: 'ws2019'})
    made.edit(allowEverything)
    seedForeigners(made)
    made.put(String.raw`k\kubelet-config.yaml`, 'theirs')
    before = wholeHost(made)
    expect((await setupOn(made.dir)).result.exitCode).toBe(0)
    makePolicyListsAnew(made)
    const {files} = await openSimulator({dir: made.dir, profile: 'ws2019'})
    const lines = (await openJournal(files, `C:\\${JOURNAL}`, () => 0)).all()
    recorded = [...new Set(lines.map(({entry}) => entry.kind))].sort()
    made.remove(JOURNAL)
  })
  afterAll(() => made.discard())

  const on = async <T>(sicken: (host: HostFolder) => void, work: (host: HostFolder) => Promise<T>): Promise<T> => {
    const host = made.copy()
    try {
      sicken(host)
      return await work(host)
    } finally {
      host.discard()
    }
  }
  const nothing = (): void => {}

  it('is found by its marks, as setup would have noted it', () =>
    on(nothing, async ({dir}) => {
      const found = await marksOn(dir)
      const of = (kind: JournalKind) => found.lines.filter(({entry}) => entry.kind === kind)
      expect(of('service').map(({step}) => step)).toEqual(COMMON_DAEMONS.map(({step}) => step))
      expect(of('firewall-rule')).toHaveLength(3)
      expect(of('network')).toMatchObject([{entry: {kind: 'network', name: 'vxlan0'}, step: 'overlay-network'}])
      expect(of('node')).toEqual([{entry: {kind: 'node', name: 'win-1'}, step: 'node-registered'}])
      expect(recorded.filter((kind) => !kindsOf(found).includes(kind))).toEqual(LOST)
      const isPossible = possibleEntries(setupConfig())
      expect(found.lines.filter((line) => !isPossible(line))).toEqual([])
      expect(found.unproven.join('\n')).toContain(String.raw`C:\var\lib\kubelet`)
      expect(JSON.stringify(found.lines)).not.toContain('theirs')
      const paths = of('file').map(({entry}) => 'path' in entry && entry.path)
      expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([])
    }))

  it('has nothing that only a node with the other runtime would have', () => {
    const theirs = [String.raw`k\containerd\config.toml`, String.raw`k\cni\config\10-flannel.conflist`]
    return on(
      (host) => theirs.forEach((path) => host.put(path, 'theirs')),
      async ({dir}) => {
        const paths = (await marksOn(dir)).lines.flatMap(({entry}) => (entry.kind === 'file' ? [entry.path] : []))
        expect(paths).toContain(String.raw`C:\k\cni\config\cni.conf`)
        expect(paths.filter((path) => theirs.includes(path.slice('C:\\'.length)))).toEqual([])
      },
    )
  })

  it('is removed: nothing of others is lost, and what stays is reported', () =>
    on(nothing, async (host) => {
      const {result, told: named} = await resetOn(host.dir, {given: {purge: true, yes: true}})
      expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7, recap: {failed: 0}})
      const seen = differences(before, wholeHost(host))
      // Without the journal it is unknown what was there before: the daemons' folders, pulled images, closed access lists.
      const told =
        /^(?:files > (?:etc|run|usr|var)(?:\/(?:lib|log|libexec|flannel|kube-flannel))*(?:\/(?:kubelet|dockershim|pods|containers|kubernetes|cni)(?:\/[^:]*)?)?: |world > (?:docker > images|security) > )/
      expect(seen.filter((one) => !told.test(one))).toEqual([])
      const lost = seen.filter((one) => one.includes('theirs') && one.endsWith('-> nothing'))
      // Their image is there without its name, which is reported.
      expect(lost.filter((one) => !one.startsWith('world > docker > images'))).toEqual([])
      expect(host.world.docker.images.filter(({labels}) => labels['theirs'] === 'yes')).toHaveLength(EACH)
      expect(named).toContain('nanoserver:latest')
      expect(host.read(String.raw`k\kubelet-config.yaml`)).toBe('theirs')
      expect(named).toContain(String.raw`C:\var\lib\kubelet`)
      const again = await resetOn(host.dir, {given: {purge: true, yes: true}})
      expect(again.result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    }))

  it.each<[string, (host: HostFolder) => void]>([
    ['empty', (host) => host.put(JOURNAL, '')],
    ['binary', (host) => host.put(JOURNAL, '\u0000\u0001\u00FF'.repeat(1000))],
    ['a folder', (host) => host.put(`${JOURNAL}\\inside.txt`, 'x')],
    ['huge', (host) => host.put(JOURNAL, Buffer.alloc(33 * 1024 * 1024))],
    ['JSON of something else', (host) => host.put(JOURNAL, '{"at":1}\n[]\n"text"\n')],
  ])('whose journal is %s is taken apart all the same', (_, damage) =>
    on(damage, async (host) => {
      const {result} = await resetOn(host.dir, {given: {yes: true}})
      expect(result).toMatchObject({error: {id: 'RESET_UNPROVEN'}, exitCode: 7, recap: {failed: 0}})
      const {cluster, firewall, hns, services} = host.world
      expect(Object.keys(services).filter((name) => /^(?:kube|flannel)/.test(name))).toEqual([])
      expect(Object.keys(firewall).filter((name) => name.startsWith('k8s-win'))).toEqual([])
      expect(hns.networks.map((network) => network['Name'])).not.toContain('vxlan0')
      expect(cluster.nodes.map(({name}) => name)).not.toContain('win-1')
      expect(host.has(String.raw`k\kubernetes\node\bin\kubelet.exe`)).toBe(false)
    }),
  )

  it('of another base directory is left to that, and reported with its place', () =>
    on(nothing, async ({dir}) => {
      const {lines, remarks, unproven} = await marksOn(dir, String.raw`C:\other`)
      expect({lines, unproven}).toEqual({lines: [], unproven: []})
      expect(remarks.join('\n')).toContain(String.raw`the service kubelet belongs to the node in C:\k`)
    }))

  it('is found as far as the host can be asked, and the rest reported', () =>
    on(
      (host) => host.edit((world) => void (world.docker.running = false)),
      async ({dir}) => {
        const found = await marksOn(dir)
        expect(kindsOf(found)).toContain('service')
        expect(kindsOf(found)).not.toContain('image-tag')
        expect(found.unproven.join('\n')).toContain('Docker could not be checked')
      },
    ))

  it('shares the name of a rule with another one: all of that name stay', () =>
    on(
      (host) =>
        host.edit(({firewall}) => {
          const [name = '', rules = []] =
            Object.entries(firewall).find(([one]) => one.startsWith('k8s-win kubelet')) ?? []
          firewall[name] = [...rules, {...rules[0]!, description: 'theirs'}]
        }),
      async ({dir}) => {
        const {lines, unproven} = await marksOn(dir)
        expect(lines.filter(({entry}) => entry.kind === 'firewall-rule')).toHaveLength(2)
        expect(unproven.join('\n')).toContain('a rule with the same name was not created by k8s-win')
      },
    ))

  it("without services and records has only what says itself that it is k8s-win's", () =>
    on(
      (host) => {
        host.remove(String.raw`k\k8s-win`)
        host.edit(({services}) => {
          for (const {service} of COMMON_DAEMONS) Reflect.deleteProperty(services, service)
        })
      },
      async ({dir}) => {
        const found = await marksOn(dir)
        const proven: readonly JournalKind[] = ['docker-network', 'firewall-rule', 'image-tag', 'network', 'tree']
        // Files of flannel, and their folder.
        const flannels: readonly JournalKind[] = ['directory', 'file']
        expect(kindsOf(found)).toEqual([...proven, ...flannels].sort())
        const paths = found.lines.flatMap(({entry}) => ('path' in entry ? [entry.path] : []))
        expect(paths.filter((path) => path.startsWith(String.raw`C:\k`))).toEqual([])
      },
    ))
})
