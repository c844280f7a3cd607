// Files that a step keeps: seen by content, written once, and removed with the folders that were made for them.
import {describe, expect, it} from 'vitest'
import {ownContainerd} from '../../../../src/config/layout.js'
import type {Node} from '../../../../src/config/model.js'
import type {Host} from '../../../../src/host/host.js'
import {applyFiles, claimFile, type DesiredFile, inspectFiles} from '../../../../src/pipeline/desired/files/file.js'
import {claimTrees} from '../../../../src/pipeline/desired/files/tree.js'
import {ensureFolder} from '../../../../src/pipeline/desired/files/folder.js'
import {IF_EMPTY} from '../../../../src/pipeline/desired/files/remove-path.js'
import {openJournal} from '../../../../src/pipeline/ledger/journal.js'
import {type MemoryFiles, memoryFiles} from '../../../fakes/memory-files.js'
import {only} from '../../../fakes/partial.js'
import {removes} from '../../../../src/pipeline/owned/kinds.js'
import type {StepContext} from '../../../../src/pipeline/run/step.js'

const NET_CONF = String.raw`C:\etc\kube-flannel\net-conf.json`
const OTHER = String.raw`C:\etc\kube-flannel\other.json`
const TREE = String.raw`C:\var\lib\kubelet`
const wanted: readonly DesiredFile[] = [{content: '{"ä":1}', path: NET_CONF}]
const both = [...wanted, {content: '{}', path: OTHER, sddl: 'O:BAD:P'}]

/** `kubelet`: whose service has its name. */
async function open(files: MemoryFiles, adopt = false, kubelet: 'ours' | 'theirs' = 'theirs') {
  const changes: string[] = []
  const journal = await openJournal(files, String.raw`C:\k\journal`, () => 0)
  const context = {
    changed: (what: string) => void changes.push(what),
    config: only<Node>('config', {
      adopt,
      baseDir: String.raw`C:\k`,
      containerd: ownContainerd(String.raw`C:\k`),
    }),
    host: only<Host>('host', {
      files,
      services: only<Host['services']>('services', {
        isOurs: () => Promise.resolve(kubelet === 'ours'),
        status: () => Promise.resolve({processId: 1, serviceExitCode: 0, state: 'running', win32ExitCode: 0}),
      }),
    }),
    journal,
  }
  return {changes, context, journal}
}

describe('inspect', () => {
  it.each([
    ['missing', {}, [`${NET_CONF} does not exist`, `${OTHER} does not exist`]],
    ['drifted', {[NET_CONF]: '{"ä":1}'}, [`${OTHER} does not exist`]],
    ['drifted', {[NET_CONF]: '{"ä":2}', [OTHER]: '{}'}, [`${NET_CONF} has different content`]],
    [
      'drifted',
      {[NET_CONF]: '{"ä":1}\n', [OTHER]: ''},
      [`${NET_CONF} has different content`, `${OTHER} has different content`],
    ],
    ['in-place', {[NET_CONF]: '{"ä":1}', [OTHER]: '{}'}, [`${NET_CONF} is up to date`, `${OTHER} is up to date`]],
  ])('says %s of %o', async (state, there, evidence) => {
    const {changes, context} = await open(memoryFiles(there))
    expect(await inspectFiles(context, 'net-conf', both)).toEqual({evidence, state})
    expect(changes).toEqual([])
  })
})

describe('apply', () => {
  it('writes what is wanted, where it is wanted, safe where it must be', async () => {
    const files = memoryFiles()
    const {changes, context} = await open(files)
    await applyFiles(context, 'net-conf', both)
    expect((await inspectFiles(context, 'net-conf', both)).state).toBe('in-place')
    expect(files.sddl).toMatchObject({[OTHER.toLowerCase()]: 'O:BAD:P'})
    expect(changes).toEqual([String.raw`create C:\etc\kube-flannel`, `write ${NET_CONF}`, `write ${OTHER}`])
  })

  it('changes nothing the second time', async () => {
    const files = memoryFiles()
    const first = await open(files)
    await applyFiles(first.context, 'net-conf', both)
    const before = files.contents()
    const {changes, context} = await open(files)
    await applyFiles(context, 'net-conf', both)
    expect(changes).toEqual([])
    expect(files.contents()).toEqual(before)
  })

  it('notes the file and the folders that were not there, before they are', async () => {
    const files = memoryFiles({[String.raw`C:\etc\hosts`]: 'x'})
    const {context, journal} = await open({
      ...files,
      makeDirectory: (path) =>
        path.startsWith('C:\\k') ? files.makeDirectory(path) : Promise.reject(new Error('crash')),
    })
    await expect(applyFiles(context, 'net-conf', wanted)).rejects.toThrow('crash')
    expect(journal.entries('net-conf', 'directory')).toEqual([
      {kind: 'directory', path: String.raw`C:\etc\kube-flannel`},
    ])
  })

  it('keeps a file that was there before, once, and puts it back', async () => {
    const files = memoryFiles({[NET_CONF]: 'theirs'})
    for (const _ of ['first run', 'second run']) {
      const {context, journal} = await open(files)
      await applyFiles(context, 'net-conf', wanted)
      expect(journal.entries('net-conf', 'directory')).toEqual([])
      expect(files.contents()).toMatchObject({[NET_CONF]: '{"ä":1}', [`${NET_CONF}.before-k8s-win`]: 'theirs'})
    }

    const {context} = await open(files)
    for (const _ of ['first removal', 'second removal']) {
      await removes('net-conf')(context as StepContext)
      expect(await files.list(String.raw`C:\etc\kube-flannel`)).toEqual(['net-conf.json'])
      expect((await files.read(NET_CONF))?.toString()).toBe('theirs')
    }
  })

  it('does not keep aside what it wrote itself, when that has drifted', async () => {
    const files = memoryFiles()
    const {context} = await open(files)
    await applyFiles(context, 'net-conf', wanted)
    await files.write(NET_CONF, 'changed by hand')
    await applyFiles(context, 'net-conf', wanted)
    expect(await files.list(String.raw`C:\etc\kube-flannel`)).toEqual(['net-conf.json'])
  })
})

describe('remove', () => {
  it('leaves the host as it was', async () => {
    const files = memoryFiles()
    const {changes, context} = await open(files)
    await applyFiles(context, 'net-conf', both)
    await removes('net-conf')(context as StepContext)
    expect(await files.status(String.raw`C:\etc`)).toBeUndefined()
    expect(changes.slice(-2)).toEqual([`remove C:\\etc\\kube-flannel${IF_EMPTY}`, `remove C:\\etc${IF_EMPTY}`])
    const again = changes.length
    await removes('net-conf')(context as StepContext)
    expect(changes).toHaveLength(again)
  })

  it('leaves what others put into our folders, and their folders', async () => {
    const files = memoryFiles()
    const {context} = await open(files)
    await applyFiles(context, 'net-conf', both)
    await files.write(String.raw`C:\etc\kube-flannel\theirs.txt`, 'theirs')
    await removes('net-conf')(context as StepContext)
    expect(Object.keys(files.contents()).filter((path) => path.startsWith('C:\\etc'))).toEqual([
      String.raw`C:\etc\kube-flannel\theirs.txt`,
    ])
  })

  it('leaves a folder that was there, though it is empty now', async () => {
    const files = memoryFiles()
    await files.makeDirectory(String.raw`C:\etc`)
    const {context} = await open(files)
    await applyFiles(context, 'net-conf', wanted)
    await removes('net-conf')(context as StepContext)
    expect((await files.status(String.raw`C:\etc`))?.kind).toBe('directory')
    expect(await files.status(String.raw`C:\etc\kube-flannel`)).toBeUndefined()
  })

  it('leaves what another step wrote', async () => {
    const files = memoryFiles()
    const {context} = await open(files)
    await applyFiles(context, 'net-conf', wanted)
    await removes('cni-config')(context as StepContext)
    expect(await files.status(NET_CONF)).toBeDefined()
  })
})

it('ensureFolder notes each new folder once, outermost first', async () => {
  const files = memoryFiles()
  const {changes, context, journal} = await open(files)
  await ensureFolder(context, 'kubelet-service', String.raw`C:\k\logs\kubelet`)
  await ensureFolder(context, 'kubelet-service', String.raw`C:\K\LOGS\kubelet`)
  expect(journal.entries('kubelet-service', 'directory').map(({path}) => path)).toEqual([
    String.raw`C:\k\logs\kubelet`,
    String.raw`C:\k\logs`,
    String.raw`C:\k`,
  ])
  expect(changes).toEqual([String.raw`create C:\k\logs\kubelet`])
})

describe('with --adopt', () => {
  it("what was there becomes k8s-win's: it is not kept aside, and goes away again with its folders", async () => {
    const files = memoryFiles({[NET_CONF]: 'theirs', [OTHER]: '{}'})
    const {changes, context} = await open(files, true)
    expect((await inspectFiles(context, 'net-conf', both)).evidence).toEqual([
      `${NET_CONF} has different content`,
      `${NET_CONF} is not managed by k8s-win yet`,
      `${OTHER} is not managed by k8s-win yet`,
    ])
    await applyFiles(context, 'net-conf', both)
    expect(changes).toEqual([`write ${NET_CONF}`, `take over ${OTHER}`])
    expect((await inspectFiles(context, 'net-conf', both)).state).toBe('in-place')
    await removes('net-conf')((await open(files)).context as StepContext)
    expect(Object.keys(files.contents()).filter((path) => path.startsWith('C:\\etc'))).toEqual([])
  })

  it.each([
    ['theirs', [TREE, String.raw`C:\var\lib`, String.raw`C:\var`]],
    ['ours', []],
  ] as const)('what daemons made before is claimed with a kubelet to take over only (%s)', async (kubelet, claimed) => {
    const {context, journal} = await open(memoryFiles({[`${TREE}\\mine.txt`]: 'mine'}), true, kubelet)
    await claimTrees(context, 'kubelet-service', TREE)
    await ensureFolder(context, 'kubelet-service', String.raw`C:\var\lib`)
    expect(
      journal
        .all()
        .map(({entry}) => (entry as {path: string}).path)
        .reverse(),
    ).toEqual(claimed)
  })

  it("the user's own is kept all the same, and the base directory is never claimed", async () => {
    const kubeconfig = String.raw`C:\k\kubeconfig`
    const files = memoryFiles({[kubeconfig]: 'theirs'})
    const {context, journal} = await open(files, true)
    await claimFile(context, 'base-dir', kubeconfig, 'user')
    expect((await files.read(`${kubeconfig}.before-k8s-win`))?.toString()).toBe('theirs')
    await ensureFolder(context, 'kubelet-service', String.raw`C:\k\logs\kubelet`)
    expect(journal.entries('kubelet-service', 'directory').map(({path}) => path)).toEqual([
      String.raw`C:\k\logs\kubelet`,
      String.raw`C:\k\logs`,
    ])
  })
})
