// Whatever the journal says: only what a setup of this base directory could have noted is followed.
import {win32} from 'node:path'
import fc from 'fast-check'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {KUBELET_CERTIFICATE_FILES, KUBELET_KEYS, layoutOf, NET_CONF} from '../../../src/config/layout.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {STEP_IDS} from '../../../src/config/step-ids.js'
import {type JournalEntry, NAMED_BY} from '../../../src/pipeline/ledger/entries.js'
import {type Journal, type JournalLine, openJournal} from '../../../src/pipeline/ledger/journal.js'
import {guardJournal} from '../../../src/pipeline/owned/journal-guard.js'
import {possibleEntries} from '../../../src/pipeline/owned/kinds.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {setupOn} from '../../setup/in-process.js'
import {HostFolder} from '../../steps/host-folder.js'
import {FOREIGN_PATHS, hostileLine} from './hostile-entries.js'
import {textOf} from '../ledger/note-in.js'
import {isWhole} from '../../sample.js'

const config = setupConfig()
const {journal: JOURNAL} = layoutOf(config.baseDir)
const isPossible = possibleEntries(config)
const openText = (text: string): Promise<Journal> => openJournal(memoryFiles({[JOURNAL]: text}), JOURNAL, () => 0)

describe('the journal of a setup', () => {
  const host = HostFolder.empty()
  let lines: readonly JournalLine[]
  beforeAll(async () => {
    // With every kind of thing that can be there before: kept aside, closed, given back.
    await openSimulator({dir: host.dir, profile: 'ws2019'})
    host.put(String.raw`k\kubelet-config.yaml`, 'theirs')
    host.put(String.raw`k\mine.txt`, 'theirs')
    expect((await setupOn(host.dir, {'node-label': ['a=b']})).result.exitCode).toBe(0)
    const {files} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    lines = (await openJournal(files, JOURNAL, () => 0)).all()
  })
  afterAll(() => host.discard())

  const guarded = async (): Promise<readonly string[]> => {
    const {clock, files} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    return (await guardJournal(await openJournal(files, JOURNAL, () => clock.now()), config, files)).refused
  }

  it('is followed altogether', async () => {
    expect(lines.length).toBeGreaterThan(60)
    expect(await guarded()).toEqual([])
  })

  it('is not followed where anything in it was changed into something else of its kind', () => {
    const changed = lines.flatMap(({entry, step}) =>
      Object.entries(entry).flatMap(([field, value]) => {
        const isName = field !== 'kind' && !['adapter', 'id', 'sha256', 'version', 'snapshot'].includes(field)
        return isName && typeof value === 'string' ? [{entry: {...entry, [field]: `${value}x`}, step}] : []
      }),
    )
    const followed = changed.filter(isPossible).map(({entry}) => entry)
    // A node's name is judged by the machine behind it, an image's tag may be any, and so may the value a variable had.
    const free = new Set(['environment', 'image-proof', 'image-pull', 'node'])
    expect(followed.filter(({kind, ...entry}) => !free.has(kind) && !isChildOfOurs(entry))).toEqual([])
    expect(changed.length).toBeGreaterThan(60)
  })

  it('is not followed under the name of another step, but for what several steps note', () => {
    const noted = new Set(lines.map(({entry, step}) => `${step} ${subjectOf(entry)}`))
    const moved = lines.flatMap(({entry}) => STEP_IDS.map((step) => ({entry, step})))
    const followed = moved.filter((line) => isPossible(line) && !noted.has(`${line.step} ${subjectOf(line.entry)}`))
    // A folder is noted by the first that needs it, the host's network by the first that cuts it, shawl by the first
    // service under it, which depends on the runtime, and base-dir closes all.
    const isShared = ({entry, step}: JournalLine): boolean =>
      entry.kind === 'directory' ||
      entry.kind === 'network-before' ||
      (subjectOf(entry).includes('shawl') && step === 'containerd-binaries') ||
      (entry.kind === 'security' && step === 'base-dir')
    expect(followed.filter((line) => !isShared(line))).toEqual([])
    const flannel = String.raw`C:\etc\kube-flannel`
    const made = moved.filter((line) => isPossible(line) && subjectOf(line.entry) === `directory ${flannel}`)
    expect(new Set(made.map(({step}) => step))).toEqual(new Set(['net-conf']))
  })

  it('is followed in other letters, which are the same to Windows', () => {
    const upper = lines.map(({entry, step}) => {
      const {path, previous} = entry as {path?: string; previous?: string}
      const isFile = entry.kind === 'file'
      const changed = {
        ...entry,
        ...(path !== undefined && {path: path.toUpperCase()}),
        ...(isFile && previous !== undefined && {previous: `${path?.toUpperCase()}.before-k8s-win`}),
      }
      return {entry: changed, step}
    })
    // The names of downloads are k8s-win's to the letter.
    expect(upper.filter((line) => line.entry.kind !== 'download' && !isPossible(line))).toEqual([])
  })

  it('is not followed through a link that came since', async () => {
    const copy = host.copy()
    try {
      copy.remove(String.raw`etc\kube-flannel`)
      copy.put(String.raw`elsewhere\theirs.txt`, 'theirs')
      copy.link(String.raw`etc\kube-flannel`, 'elsewhere')
      const {files} = await openSimulator({dir: copy.dir, profile: 'ws2019'})
      const journal = await openJournal(files, JOURNAL, () => 0)
      const seen = await guardJournal(journal, config, files)
      expect(seen.refused.length).toBeGreaterThan(1)
      for (const text of seen.refused) expect(text).toContain(String.raw`C:\etc\kube-flannel is a link now`)
      expect(seen.journal.entries('net-conf', 'file')).toEqual([])
      expect(journal.entries('net-conf', 'file')).not.toEqual([])
      expect(seen.journal.entries('kubelet-config', 'file')).not.toEqual([])
      // Told as left: the file and its folder, each once; an access list is nothing that could be left.
      expect(seen.unreached.map((text) => text.split(',')[0]).toSorted()).toEqual([win32.dirname(NET_CONF), NET_CONF])
    } finally {
      copy.discard()
    }
  })
})

function subjectOf(entry: JournalEntry): string {
  const {folder, id, name, path, reference} = entry as Partial<Record<string, string>>
  return `${entry.kind} ${path ?? name ?? folder ?? reference ?? id ?? ''}`
}

/** Of a file beside k8s-win's, whose access list setup closes with the others. */
function isChildOfOurs(entry: object): boolean {
  const {path, previous} = entry as {path?: string; previous?: string}
  return path !== undefined && previous !== undefined && win32.dirname(path).startsWith(config.baseDir)
}

describe('a hostile journal', () => {
  it("never names what is not k8s-win's", () => {
    const canon = (path: string): string =>
      win32
        .resolve('C:\\', path)
        .toLowerCase()
        .replace(/[. \\]+$/, '')
    const foreign = new Set(FOREIGN_PATHS.map((path) => path.toLowerCase()))
    fc.assert(
      fc.property(hostileLine, ({entry, step}) => {
        if (!isPossible({entry, step}) || entry.kind === 'security') return
        const {path, previous} = entry as {path?: unknown; previous?: unknown}
        if (['directory', 'download', 'file', 'tree'].includes(entry.kind)) {
          expect(foreign.has(canon(String(path)))).toBe(false)
          expect(String(path)).not.toContain('..')
          expect(win32.dirname(String(path))).not.toBe(String(path))
        }

        if (entry.kind === 'file') expect([undefined, `${String(path)}.before-k8s-win`]).toContain(previous)
      }),
      {numRuns: isWhole ? 50_000 : 1000},
    )
  })

  it('is read, guarded and reported without stumbling, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileLine, {maxLength: 20}), async (lines) => {
        const files = memoryFiles({})
        const journal = await openText(textOf(...lines))
        const {journal: followed, refused} = await guardJournal(journal, config, files)
        expect(followed.all().length).toBeLessThanOrEqual(journal.all().length)
        for (const text of refused) expect(text).toMatch(/^[\x20-\x7E]*$/)
        for (const {entry, step} of followed.all()) expect(followed.entries(step, entry.kind)).toContainEqual(entry)
      }),
      {numRuns: isWhole ? 3000 : 100},
    )
  })

  it.each<[string, object]>([
    ['a folder of Windows as a tree', {kind: 'tree', path: String.raw`C:\Windows`}],
    ['all of C:\\var as a tree', {kind: 'tree', path: String.raw`C:\var`}],
    ['the root', {kind: 'directory', path: 'C:\\'}],
    ['a way up', {kind: 'tree', path: String.raw`C:\var\lib\kubelet\..\theirs`}],
    ['a file beside ours', {kind: 'file', path: String.raw`C:\k\theirs.txt`}],
    ['another place to put it back from', {kind: 'file', path: NET_CONF, previous: String.raw`C:\k\kubeconfig`}],
    ['a service of others', {kind: 'service', name: 'docker'}],
    ['a rule of others', {kind: 'firewall-rule', name: 'Remote Desktop'}],
    ['a network of others', {kind: 'network', name: 'nat'}],
    ['PATH itself', {kind: 'environment', name: 'Path', previous: ''}],
    ['a folder on PATH of others', {folder: String.raw`C:\Windows\System32`, kind: 'path-entry'}],
    ['an image of others', {kind: 'image-pull', reference: 'theirs:latest'}],
    ['an access list that is none', {kind: 'security', path: String.raw`C:\k`, previous: 'everybody'}],
    ['the access list of Windows', {kind: 'security', path: String.raw`C:\Windows`, previous: 'O:BAD:PAI'}],
    ["another step's file", {kind: 'file', path: String.raw`C:\k\kubeconfig`}],
    ["another step's service", {kind: 'service', name: 'kubelet'}],
    ["another step's tree", {kind: 'tree', path: String.raw`C:\var\lib\kubelet`}],
    ['a kind of another version', {kind: 'unicorn', path: String.raw`C:\k\flanneld.exe`}],
    ['a method of objects', {kind: 'constructor'}],
  ])('%s is not followed, and reported', async (name, entry) => {
    const isOfAnother = name.startsWith("another step's")
    // Under each step, so that the one that records the kind is among them.
    const lines = (isOfAnother ? (['net-conf'] as const) : STEP_IDS).map((step) => ({
      entry: entry as JournalEntry,
      step,
    }))
    const {journal, refused} = await guardJournal(await openText(textOf(...lines)), config, memoryFiles({}))
    expect(journal.all()).toEqual([])
    expect(refused).toHaveLength(lines.length)
    for (const why of refused) expect(why).toContain('setup in this base directory does not record that')
  })

  it("of any kind that has a name is not followed where the name is not k8s-win's", () => {
    const theirs = Object.fromEntries(Object.values(NAMED_BY).map((field) => [field, String.raw`C:\theirs`]))
    const lines = Object.keys(NAMED_BY).flatMap((kind) =>
      STEP_IDS.map((step) => ({entry: {...theirs, kind} as unknown as JournalEntry, step})),
    )
    expect(lines.filter(isPossible)).toEqual([])
  })

  it('behind a link is reported as left where setup created it, and not where setup only changed its access list', async () => {
    const flannel = win32.dirname(NET_CONF)
    const lines: JournalLine[] = [
      {entry: {kind: 'file', path: NET_CONF}, step: 'net-conf'},
      {entry: {kind: 'security', path: KUBELET_KEYS, previous: 'O:BAD:PAI'}, step: 'kubelet-service'},
      {entry: {kind: 'file', path: NET_CONF}, step: 'net-conf'},
    ]
    expect(lines.filter((line) => !isPossible(line))).toEqual([])
    const links = new Set([flannel, win32.dirname(KUBELET_KEYS)])
    const files = {
      ...memoryFiles({}),
      status: async (path: string) => (links.has(path) ? {kind: 'link' as const, modifiedMs: 0, size: 0} : undefined),
    }
    const seen = await guardJournal(await openText(textOf(...lines)), config, files)
    expect(seen.journal.all()).toEqual([])
    expect(seen.refused).toHaveLength(2)
    expect(seen.unreached).toHaveLength(1)
    expect(seen.unreached[0]).toContain(NET_CONF)
  })

  it.each(KUBELET_CERTIFICATE_FILES)(
    'where %s is a link, it is followed only if the kubelet makes it one',
    async (path) => {
      const line: JournalLine = {entry: {kind: 'file', path}, step: 'kubelet-service'}
      expect(isPossible(line)).toBe(true)
      const status = async (one: string) => (one === path ? {kind: 'link' as const, modifiedMs: 0, size: 0} : undefined)
      const seen = await guardJournal(await openText(textOf(line)), config, {...memoryFiles({}), status})
      expect(seen.journal.all()).toHaveLength(path.endsWith('.pem') ? 1 : 0)
      expect(seen.unreached).toHaveLength(path.endsWith('.pem') ? 0 : 1)
    },
  )

  it('is reported with its step and entry, a long one only in part', async () => {
    const told = async (entry: object): Promise<string> => {
      const line = {entry: entry as JournalEntry, step: 'net-conf' as const}
      const {refused} = await guardJournal(await openText(textOf(line)), config, memoryFiles({}))
      expect(refused).toHaveLength(1)
      return refused[0] ?? ''
    }
    const ofLength = (length: number): {kind: string; name: string} => {
      const empty = JSON.stringify({kind: 'service', name: ''}).length
      return {kind: 'service', name: 'x'.repeat(length - empty)}
    }
    expect(await told(ofLength(200))).toContain(`net-conf ${JSON.stringify(ofLength(200))}: `)
    const long = await told(ofLength(5000))
    expect(long).toContain(`net-conf ${JSON.stringify(ofLength(5000)).slice(0, 200)}...: `)
    expect(long.length).toBeLessThan(300)
  })

  it('of a step that is none is not followed', async () => {
    const text = textOf({entry: {kind: 'service', name: 'kubelet'}, step: 'unicorn'} as unknown as JournalLine)
    expect((await guardJournal(await openText(text), config, memoryFiles({}))).journal.all()).toEqual([])
  })
})

describe('a journal that is none', () => {
  const folder = {...memoryFiles({}), status: async () => ({kind: 'directory' as const, modifiedMs: 0, size: 0})}
  const huge = {
    ...memoryFiles({}),
    read: () => Promise.reject(new Error('it must not be read')),
    status: async () => ({kind: 'file' as const, modifiedMs: 0, size: 2 ** 31}),
  }

  it.each([
    ['a folder', folder, 'it is a folder'],
    ['2 GB', huge, 'it has 2048 MB'],
  ])('%s is not read, is reported, and put aside', async (_, files, why) => {
    const renamed: string[] = []
    const rename = async (from: string, to: string): Promise<void> => void renamed.push(from, to)
    const write = (): Promise<void> => Promise.resolve()
    const {all, damage} = await openJournal({...files, rename, write}, JOURNAL, () => 0)
    expect(all()).toEqual([])
    expect(damage?.message).toContain(why)
    await damage?.repair()
    expect(renamed).toEqual([JOURNAL, `${JOURNAL}.damaged`])
  })

  it('rubbish of thousands of lines is reported in a few words', async () => {
    const good = textOf({entry: {kind: 'service', name: 'kubelet'}, step: 'kubelet-service'})
    const {damage} = await openText(`${good}${'\u0000\n'.repeat(5000)}`)
    expect(damage?.message).toContain('line 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 4990 more cannot be read')
  })
})
