// The end of a reset: which entries, folders, logs and records go, and which stay.
import {describe, expect, it} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import type {Host} from '../../../src/host/host.js'
import {
  closeJournal,
  forgetStep,
  type Leaving,
  removeEmptyFolders,
  removeRecords,
  tellFilledFolders,
} from '../../../src/pipeline/owned/close-journal.js'
import {type JournalEntry} from '../../../src/pipeline/ledger/entries.js'
import {IF_EMPTY, WITH_CONTENT} from '../../../src/pipeline/desired/files/remove-path.js'
import {openJournal} from '../../../src/pipeline/ledger/journal.js'
import type {StepContext, StepId} from '../../../src/pipeline/run/step.js'
import {memoryFiles} from '../../fakes/memory-files.js'
import {only} from '../../fakes/partial.js'

const config = {...setupConfig()} as StepContext['config']
const {baseDir: BASE} = config
const LAYOUT = layoutOf(BASE)
const NONE: Leaving = new Map()
const DOWNLOADS: Leaving = new Map([['flannel-binary', ['download']]])
const download = {kind: 'download', path: `${LAYOUT.downloads}\\flanneld-v0.14.0.exe`} as const
const folder = (path: string): JournalEntry => ({kind: 'directory', path})

async function open(
  lines: readonly (readonly [StepId, JournalEntry])[],
  given: Readonly<Record<string, string>> = {},
  folders: readonly string[] = [],
) {
  const files = memoryFiles(given)
  for (const path of folders) await files.makeDirectory(path)
  const journal = await openJournal(files, LAYOUT.journal, () => 0)
  for (const [step, entry] of lines) await journal.record(step, entry)
  const told: string[] = []
  const context = only<StepContext>('context', {
    changed: (what) => void told.push(what),
    config,
    host: only<Host>('host', {files}),
    journal,
    warn: (what) => void told.push(`warning: ${what}`),
  })
  return {context, files, kinds: () => journal.all().map(({entry, step}) => `${step} ${entry.kind}`), told}
}

const network = {adapter: 'Ethernet', id: 'x', kind: 'network-before'} as unknown as JournalEntry

describe('a step that was removed', () => {
  it('is forgotten, except for what is needed or still there', async () => {
    const {context, kinds} = await open(
      [
        ['base-dir', {kind: 'setup'}],
        ['base-dir', {kind: 'loss'}],
        ['base-dir', folder(BASE)],
        ['base-dir', folder('C:\\gone')],
        ['base-dir', {kind: 'node', name: 'win-1'}],
        ['base-dir', network],
        ['base-dir', {kind: 'file', path: BASE}],
        ['flannel-binary', {kind: 'file', path: LAYOUT.flanneld}],
      ],
      {},
      [BASE],
    )
    await forgetStep(context, 'base-dir', NONE)
    expect(kinds()).toEqual([
      'base-dir setup',
      'base-dir loss',
      'base-dir directory',
      'base-dir node',
      'base-dir network-before',
      'flannel-binary file',
    ])
  })

  it('keeps the entries of what stays on purpose', async () => {
    const {context, kinds} = await open([
      ['flannel-binary', download],
      ['flannel-binary', {kind: 'file', path: LAYOUT.flanneld}],
    ])
    await forgetStep(context, 'flannel-binary', DOWNLOADS)
    expect(kinds()).toEqual(['flannel-binary download'])
  })
})

it('folders of k8s-win go where nothing is in them, from the inside out', async () => {
  const {context, files, told} = await open(
    [
      ['cni-binaries', folder(LAYOUT.cniBinaries)],
      ['cni-config', folder(LAYOUT.cniConfigFolder)],
      ['flannel-binary', folder(LAYOUT.downloads)],
      ['flannel-binary', folder('C:\\gone')],
    ],
    {[`${LAYOUT.downloads}\\theirs`]: 'x'},
    [LAYOUT.cniConfigFolder, 'C:\\theirs'],
  )
  await removeEmptyFolders(context)
  expect(told).toEqual([`remove ${LAYOUT.cniConfigFolder}${IF_EMPTY}`, `remove ${LAYOUT.cniBinaries}${IF_EMPTY}`])
  expect(await files.list(LAYOUT.downloads)).toEqual(['theirs'])
  expect(await files.status('C:\\theirs')).toMatchObject({kind: 'directory'})
})

it('review S2-13: a file that is put into an empty folder just then stays, with the folder', async () => {
  const {context, files, told} = await open([['flannel-binary', folder(LAYOUT.downloads)]], {}, [LAYOUT.downloads])
  const list = async (path: string): Promise<string[]> => {
    const names = await files.list(path)
    await files.write(`${path}\\mine`, 'x')
    return names
  }
  await removeEmptyFolders({...context, host: {...context.host, files: {...files, list}}})
  expect([await files.list(LAYOUT.downloads), told]).toEqual([['mine'], []])
})

describe('a folder with something else in it', () => {
  const lines = [
    ['base-dir', folder(BASE)],
    ['flannel-binary', folder(LAYOUT.downloads)],
    ['cni-binaries', folder(LAYOUT.cniBinaries)],
  ] as const
  const files = {[`${BASE}\\mine.txt`]: 'x', [`${LAYOUT.downloads}\\theirs`]: 'x'}

  it('is reported, with what is in it besides folders that are reported themselves', async () => {
    const {context, told} = await open(lines, files, [LAYOUT.cniBinaries])
    await tellFilledFolders(context, [LAYOUT.state])
    expect(told.sort()).toEqual([
      expect.stringMatching(/^warning: the folder C:\\k is kept .*: mine\.txt$/),
      expect.stringMatching(/^warning: the folder C:\\k\\downloads is kept .*: theirs$/),
    ])
  })

  it('is not reported where it stays on purpose', async () => {
    const {context, told} = await open(lines, files)
    await tellFilledFolders(context, [LAYOUT.downloads, LAYOUT.state])
    expect(told).toEqual([expect.stringMatching(/^warning: the folder C:\\k is kept .*: mine\.txt$/)])
  })

  it('is reported among the records, too', async () => {
    const {context, told} = await open([], {[`${LAYOUT.logs}\\theirs`]: 'x'})
    await tellFilledFolders(context, [], [LAYOUT.logs])
    expect(told).toEqual([expect.stringMatching(/^warning: the folder C:\\k\\logs is kept .*: theirs$/)])
  })
})

describe('a journal that is closed', () => {
  const lines = [
    ['base-dir', {kind: 'setup'}],
    ['base-dir', {kind: 'loss'}],
    ['base-dir', folder(BASE)],
    ['base-dir', folder('C:\\gone')],
    ['node-registered', {kind: 'node', name: 'win-1'}],
    ['flannel-binary', download],
    ['flannel-binary', {kind: 'file', path: LAYOUT.flanneld}],
  ] as const

  it('names what stays, and that nothing is set up; the options of the node go', async () => {
    const {context, files, kinds, told} = await open(lines, {[LAYOUT.nodeConfig]: 'x'}, [BASE])
    await closeJournal(context, DOWNLOADS, false)
    expect(kinds()).toEqual(['base-dir directory', 'node-registered node', 'flannel-binary download', 'base-dir reset'])
    expect(await files.status(LAYOUT.nodeConfig)).toBeUndefined()
    expect(told).toEqual([`remove ${LAYOUT.nodeConfig}`])
  })

  it('says that something could not be proven', async () => {
    const {context, kinds, told} = await open([...lines, ['base-dir', {kind: 'file', path: BASE}]], {}, [BASE])
    await closeJournal(context, NONE, true)
    expect(told).toEqual([])
    expect(kinds()).toEqual(['base-dir loss', 'base-dir directory', 'node-registered node', 'base-dir reset'])
  })

  it('is not written again', async () => {
    const {context, files} = await open(lines, {}, [BASE])
    await closeJournal(context, DOWNLOADS, false)
    const before = await files.read(LAYOUT.journal)
    files.write = () => Promise.reject(new Error('written'))
    files.append = () => Promise.reject(new Error('written'))
    await closeJournal(context, DOWNLOADS, false)
    expect(await files.read(LAYOUT.journal)).toEqual(before)
  })

  it('is written again where it names more than what stays', async () => {
    const {context, kinds} = await open([
      ['flannel-binary', download],
      ['flannel-binary', {kind: 'file', path: LAYOUT.flanneld}],
      ['base-dir', {kind: 'reset'}],
    ])
    await closeJournal(context, DOWNLOADS, false)
    expect(kinds()).toEqual(['flannel-binary download', 'base-dir reset'])
  })

  it.each([[[]], [[['base-dir', {kind: 'setup'}]]]] as const)('goes where nothing stays: %j', async (given) => {
    const {context, files} = await open(given)
    await closeJournal(context, NONE, false)
    expect(await files.status(LAYOUT.journal)).toBeUndefined()
  })
})

describe('records that are purged', () => {
  const KUBELET_LOGS = `${LAYOUT.logs}\\kubelet`
  const RUNS = `${LAYOUT.logs}\\k8s-win`
  const OWN = {
    [LAYOUT.lock]: 'x',
    [LAYOUT.nodeConfig]: 'x',
    [LAYOUT.result]: 'x',
    [`${KUBELET_LOGS}\\kubelet.exe.INFO`]: 'x',
    [`${RUNS}\\setup-2026-01-01T00-00-00-000Z.log`]: 'x',
  }
  const lines = [
    ['base-dir', folder(BASE)],
    ['kubelet-service', folder(LAYOUT.logs)],
    ['kubelet-service', folder(KUBELET_LOGS)],
  ] as const

  it('go with the base directory that setup created', async () => {
    const {context, files} = await open(lines, OWN)
    await removeRecords(context, NONE, false)
    expect(files.contents()).toEqual({})
    expect(await files.status(BASE)).toBeUndefined()
  })

  it('go from a base directory that was there before, which stays', async () => {
    const {context, files} = await open(lines.slice(1), OWN)
    await removeRecords(context, NONE, false)
    expect(files.contents()).toEqual({})
    expect(await files.list(BASE)).toEqual([])
  })

  it('leave what is not of k8s-win in each of the folders, and nothing else', async () => {
    const theirs = [BASE, LAYOUT.state, KUBELET_LOGS, RUNS, LAYOUT.logs].map((path) => `${path}\\theirs.txt`)
    const {context, files} = await open(lines, {...OWN, ...Object.fromEntries(theirs.map((path) => [path, 'x']))})
    await removeRecords(context, NONE, false)
    expect(Object.keys(files.contents()).sort()).toEqual([...theirs].sort())
  })

  it('go last of all: a reset that fails before can be repeated', async () => {
    const {context, files} = await open(lines, OWN)
    const {remove} = files
    files.remove = (path) => (path === BASE ? Promise.reject(new Error('held')) : remove(path))
    await expect(removeRecords(context, NONE, false)).rejects.toThrow('held')
    expect(Object.keys(files.contents()).sort()).toEqual([LAYOUT.journal, LAYOUT.lock])
  })

  it('go with the folder of logs, whoever created it, where nothing is left in it', async () => {
    const {[`${KUBELET_LOGS}\\kubelet.exe.INFO`]: _, [LAYOUT.result]: __, ...own} = OWN
    const {context, files, told} = await open([['base-dir', folder(BASE)]], own)
    await removeRecords(context, NONE, false)
    expect(await files.status(BASE)).toBeUndefined()
    expect(told).toEqual([
      `remove ${RUNS}${WITH_CONTENT}`,
      `remove ${LAYOUT.logs}${IF_EMPTY}`,
      `remove ${BASE}${WITH_CONTENT}`,
    ])
  })

  it('leave the logs in a folder that setup restricted and did not create', async () => {
    const restricted = {kind: 'security', path: KUBELET_LOGS, previous: ''} as const
    const {context, files} = await open(
      [
        ['base-dir', folder(BASE)],
        ['base-dir', restricted],
      ],
      OWN,
    )
    await removeRecords(context, NONE, false)
    expect(Object.keys(files.contents())).toEqual([`${KUBELET_LOGS}\\kubelet.exe.INFO`])
  })

  it('leave the journal where it names what stays', async () => {
    const {context, files, kinds} = await open([...lines, ['flannel-binary', download]], {...OWN, [download.path]: 'x'})
    await removeRecords(context, DOWNLOADS, false)
    expect(kinds()).toEqual(['base-dir directory', 'flannel-binary download', 'base-dir reset'])
    expect(Object.keys(files.contents()).sort()).toEqual([download.path, LAYOUT.journal, LAYOUT.lock].sort())
  })
})
