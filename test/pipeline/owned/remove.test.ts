// Kind by kind: what is removed by its entries, and what stays although an entry names it.
import {describe, expect, it} from 'vitest'
import {FIREWALL_RULES} from '../../../src/components/firewall-rules.js'
import {hostLocalOf, KUBELET_DRIVERS, KUBELET_PLUGINS, layoutOf} from '../../../src/config/layout.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import type {MachineEnvironment} from '../../../src/host/environment.js'
import type {Firewall, StoredRule} from '../../../src/host/firewall.js'
import type {Host} from '../../../src/host/host.js'
import type {Ipam} from '../../../src/host/ipam.js'
import type {Security} from '../../../src/host/security/security.js'
import type {Services} from '../../../src/host/services/services.js'
import {type JournalEntry} from '../../../src/pipeline/ledger/entries.js'
import {IF_EMPTY, WITH_CONTENT} from '../../../src/pipeline/desired/files/remove-path.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import {KINDS} from '../../../src/pipeline/owned/kinds.js'
import type {StepContext, StepId} from '../../../src/pipeline/run/step.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {only} from '../../fakes/partial.js'

const config = {...setupConfig()} as StepContext['config']
const LAYOUT = layoutOf(config.baseDir)
const ASIDE = '.before-k8s-win'

interface Scene {
  readonly entries: readonly JournalEntry[]
  readonly files?: Readonly<Record<string, string>>
  readonly folders?: readonly string[]
  readonly host?: Partial<Host>
  /** The step that is removed, where it is another than the one that recorded. */
  readonly removed?: StepId
  readonly step: StepId
}

/** What was there before and is no more, what is new, and what was reported. */
async function removing(
  kind: JournalEntry['kind'],
  {entries, files: given = {}, folders = [], host, removed, step}: Scene,
) {
  const files = memoryFiles(given)
  for (const path of folders) await files.makeDirectory(path)
  const journal = await openJournal(files, LAYOUT.journal, () => 0)
  for (const entry of entries) await journal.record(step, entry)
  const told: string[] = []
  const context = only<StepContext>('context', {
    changed: (what) => void told.push(what),
    config,
    host: only<Host>('host', {files, ...host}),
    journal,
    signal: new AbortController().signal,
    warn: (what) => void told.push(`warning: ${what}`),
  })
  await KINDS[kind].remove?.(context, removed ?? step, false)
  const {[LAYOUT.journal]: _, ...contents} = files.contents()
  return {contents, files, journal, told}
}

it('review S2-13: a folder that is filled between the check and the removal stays, with what is in it', async () => {
  const path = LAYOUT.downloads
  const raced = memoryFiles({})
  await raced.makeDirectory(path)
  const list = async (folder: string): Promise<string[]> => {
    const names = await raced.list(folder)
    await raced.write(`${folder}\\mine`, 'x')
    return names
  }
  const host = {files: {...raced, list}}
  const {told} = await removing('directory', {entries: [{kind: 'directory', path}], host, step: 'flannel-binary'})
  expect([await raced.list(path), told]).toEqual([['mine'], []])
})

describe('a file', () => {
  const [PATH, PREVIOUS] = [LAYOUT.kubeletConfig, `${LAYOUT.kubeletConfig}${ASIDE}`]
  const step = 'kubelet-config'

  it('goes, with what a write that was cut short left beside it', async () => {
    const temporary = `${PATH}.0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f.tmp`
    const files = {[PATH]: 'new', [`${PATH}.txt`]: 'theirs', [temporary]: 'ne'}
    const {contents, told} = await removing('file', {entries: [{kind: 'file', path: PATH}], files, step})
    expect(contents).toEqual({[`${PATH}.txt`]: 'theirs'})
    expect(told).toEqual([`remove ${PATH}`])
  })

  it.each([
    ['and is restored as it was before', [{kind: 'file', path: PATH, previous: PREVIOUS}]],
    [
      'also where its newest entry is the memo of its content',
      [
        {kind: 'file', path: PATH, previous: PREVIOUS},
        {kind: 'file', path: PATH, sha256: '00', version: '1'},
      ],
    ],
  ] as const)('goes, %s', async (_, entries) => {
    const {contents, told} = await removing('file', {entries, files: {[PATH]: 'new', [PREVIOUS]: 'old'}, step})
    expect(contents).toEqual({[PATH]: 'old'})
    expect(told).toEqual([`remove ${PATH}`, `restore ${PATH}`])
  })

  it('stays where it was to be kept aside, and is not: it is the one from before', async () => {
    const entries = [{kind: 'file', path: PATH, previous: PREVIOUS}] as const
    const {contents, told} = await removing('file', {entries, files: {[PATH]: 'old'}, step})
    expect([contents, told]).toEqual([{[PATH]: 'old'}, []])
  })
})

describe('a folder', () => {
  it('goes where it is empty, the inner ones first', async () => {
    const [outer, inner, full] = [LAYOUT.cniBinaries, LAYOUT.cniConfigFolder, LAYOUT.downloads]
    const {files, told} = await removing('directory', {
      entries: [outer, full, inner].map((path) => ({kind: 'directory', path})),
      files: {[`${full}\\theirs`]: 'x'},
      folders: [inner],
      step: 'cni-config',
    })
    expect(told).toEqual([`remove ${inner}${IF_EMPTY}`, `remove ${outer}${IF_EMPTY}`])
    expect(await files.list(full)).toEqual(['theirs'])
  })
})

describe('a tree', () => {
  const remove = (files: Readonly<Record<string, string>>) =>
    removing('tree', {entries: [{kind: 'tree', path: KUBELET_PLUGINS}], files, step: 'kubelet-service'})
  const other = {[`${KUBELET_PLUGINS}\\x`]: '1', [`${KUBELET_PLUGINS}\\kubelet-plugins\\y\\z`]: '2'}

  it('goes with all that is in it', async () => {
    const {contents, files, told} = await remove({...other, 'C:\\usr\\theirs': '3'})
    expect(contents).toEqual({'C:\\usr\\theirs': '3'})
    expect(await files.status(KUBELET_PLUGINS)).toBeUndefined()
    expect(told).toEqual([`remove ${KUBELET_PLUGINS}${WITH_CONTENT}`])
  })

  it('goes except for the drivers that an administrator put there', async () => {
    const driver = `${KUBELET_DRIVERS}\\theirs~driver\\driver.exe`
    const {contents} = await remove({...other, [driver]: 'MZ'})
    expect(contents).toEqual({[driver]: 'MZ'})
  })
})

describe('unfinished programs', () => {
  const stage = `${LAYOUT.downloads}\\flanneld.staged\\flanneld.exe`
  const another = `${LAYOUT.downloads}\\kubernetes.staged\\kubelet.exe`

  it.each([
    ['go with the downloads of their step', [{kind: 'download', path: `${LAYOUT.downloads}\\x`}], [another]],
    ['stay where it has downloaded nothing', [], [stage, another].sort()],
  ] as const)('%s', async (_, entries, left) => {
    const files = {[another]: 'x', [stage]: 'x'}
    const {contents} = await removing('download', {entries, files, step: 'flannel-binary'})
    expect(Object.keys(contents).sort()).toEqual(left)
  })
})

it('an access list becomes what it was before setup, if the path is still there and has another', async () => {
  const lists: Record<string, string> = {'C:\\k': 'new', 'C:\\same': 'old'}
  const security = only<Security>('security', {
    of: async (path) => lists[path] ?? '',
    set: async (path, sddl) => void (lists[path] = sddl),
  })
  const {told} = await removing('security', {
    entries: [
      {kind: 'security', path: 'C:\\k', previous: 'oldest'},
      {kind: 'security', path: 'C:\\k', previous: 'between'},
      {kind: 'security', path: 'C:\\same', previous: 'old'},
      {kind: 'security', path: 'C:\\gone', previous: 'old'},
    ],
    folders: ['C:\\k', 'C:\\same'],
    host: {security},
    step: 'base-dir',
  })
  expect(lists).toEqual({'C:\\k': 'oldest', 'C:\\same': 'old'})
  expect(told).toEqual(['restore the access list of C:\\k'])
})

it.each([
  [true, ['kubelet']],
  [false, []],
])('a service goes only while it has the mark of k8s-win (%s)', async (isOurs, names) => {
  const removed: string[] = []
  const services = only<Services>('services', {
    isOurs: async () => isOurs,
    remove: async (name) => void removed.push(name),
  })
  const {told} = await removing('service', {
    entries: [{kind: 'service', name: 'kubelet'}],
    host: {services},
    step: 'kubelet-service',
  })
  expect(removed).toEqual(names)
  expect(told).toHaveLength(names.length)
})

describe('a firewall rule', () => {
  const [rule] = FIREWALL_RULES
  const name = rule?.name ?? ''
  const [own, theirs] = [{description: rule?.description ?? ''}, {description: 'theirs'}] as StoredRule[]

  it.each([
    ['goes', [own, own], [name], [`remove the firewall rule "${name}"`]],
    [
      'stays where another one has its name',
      [own, theirs],
      [],
      [`warning: "${name}" stays: several rules have this name`],
    ],
    ['that is gone is passed over', [], [], []],
  ])('%s', async (_, rules, removed, told) => {
    const gone: string[] = []
    const firewall = only<Firewall>('firewall', {
      find: async () => rules as StoredRule[],
      remove: async (one) => void gone.push(one),
    })
    const entries = [{kind: 'firewall-rule', name}] as const
    const seen = await removing('firewall-rule', {entries, host: {firewall}, step: 'firewall-rules'})
    expect([gone, seen.told]).toEqual([removed, told])
  })
})

describe('a reserved address', () => {
  it.each([
    ['is released', {[hostLocalOf(LAYOUT)]: 'MZ'}, '10.244.3.2', ['vxlan0 10.244.3.0/24']],
    ['that is free is passed over', {[hostLocalOf(LAYOUT)]: 'MZ'}, undefined, []],
    ['stays where the program that releases it is gone', {}, '10.244.3.2', []],
  ])('%s', async (_, files, address, expected) => {
    const released: string[] = []
    const ipam = only<Ipam>('ipam', {
      find: async () => address,
      release: async (network, subnet) => void released.push(`${network} ${subnet}`),
    })
    const entries = [{kind: 'reservation', network: 'vxlan0', subnet: '10.244.3.0/24'}] as const
    const {told} = await removing('reservation', {entries, files, host: {ipam}, step: 'source-vip'})
    expect(released).toEqual(expected)
    expect(told).toEqual(expected.map(() => `release ${address}`))
  })
})

describe('PATH and KUBECONFIG', () => {
  const step = 'machine-environment'
  const entries: readonly JournalEntry[] = [
    {folder: LAYOUT.binaries, kind: 'path-entry'},
    {kind: 'environment', name: 'KUBECONFIG', previous: 'mine'},
    {kind: 'environment-notified', isNotified: true},
  ]
  const removed = async (value: string | undefined, isOnPath: boolean, given = entries, of: StepId = step) => {
    const calls: string[] = []
    const environment = only<MachineEnvironment>('environment', {
      announce: async () => void calls.push('announce'),
      get: async () => value,
      isOnPath: async () => isOnPath,
      removeFromPath: async (folder) => void calls.push(`remove ${folder}`),
      set: async (name, previous) => void calls.push(`${name}=${previous}`),
    })
    const {journal, told} = await removing('environment', {entries: given, host: {environment}, removed: of, step})
    return {calls, isTold: journal.entries(step, 'environment-notified').map((entry) => entry.isNotified), told}
  }

  it('are as before', async () => {
    expect(await removed(LAYOUT.kubeconfig, true)).toEqual({
      calls: [`remove ${LAYOUT.binaries}`, 'KUBECONFIG=mine'],
      // Before each change, and after the last one.
      isTold: [true, false, true],
      told: [`remove ${LAYOUT.binaries} from PATH`, 'set KUBECONFIG back to mine'],
    })
  })

  it('are removed where they were not there before', async () => {
    const first: readonly JournalEntry[] = [{kind: 'environment', name: 'KUBECONFIG'}]
    expect(await removed(LAYOUT.kubeconfig, false, first)).toMatchObject({
      calls: ['KUBECONFIG=undefined'],
      isTold: [true, false],
      told: ['remove KUBECONFIG'],
    })
  })

  it('stay where they were set since', async () => {
    expect(await removed('another', false)).toEqual({calls: [], isTold: [true], told: []})
    expect(await removed(undefined, false, entries.slice(0, 2))).toEqual({calls: [], isTold: [], told: []})
  })

  it('are announced where a run was killed before it did', async () => {
    const cut: readonly JournalEntry[] = [{kind: 'environment-notified', isNotified: false}]
    expect(await removed(undefined, false, cut)).toMatchObject({calls: ['announce'], isTold: [true, false]})
  })

  it('are nothing to other steps', async () => {
    expect(await removed(LAYOUT.kubeconfig, true, entries, 'base-dir')).toMatchObject({calls: [], told: []})
  })
})
