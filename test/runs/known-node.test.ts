// What is known of a node whose setup stored nothing, because it did not finish.
import {describe, expect, test} from 'vitest'
import {readKnownNode} from '../../src/runs/known-node.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {withoutContainers} from '../fixtures/restart-due.js'
import {JOURNAL, noteIn} from '../pipeline/ledger/note-in.js'
import {journalText, readJournal} from '../../src/pipeline/ledger/journal-format.js'
import {HostFolder, profileOf} from '../steps/host-folder.js'

const PROFILE = 'ws2022-containerd'

/** containerd runs, and then a pull fails. */
async function begun(): Promise<HostFolder> {
  const host = HostFolder.empty()
  await openSimulator({dir: host.dir, profile: PROFILE})
  host.edit(({downloads}) => (downloads['mcr.microsoft.com/windows/nanoserver:ltsc2022'] = {fault: 'not-found'}))
  const {result} = await setupOn(host.dir, {}, {}, PROFILE)
  expect(result.exitCode).toBe(4)
  return host
}

async function knownOn({dir}: HostFolder, baseDir?: string): ReturnType<typeof readKnownNode> {
  const machine = await openSimulator({dir, profile: profileOf(dir)})
  return readKnownNode({baseDir, environment: {}, machine, signal: new AbortController().signal})
}

/** As a version of k8s-win wrote it that did not record the release. */
function withoutRelease(host: HostFolder): void {
  const lines = readJournal(host.read(JOURNAL)).lines.filter(({entry}) => entry.kind !== 'release')
  host.put(JOURNAL, journalText(lines, 1))
}

const RELEASE = '1.35.8'
const ENABLING = {'enable-features': true, release: RELEASE}

describe('a setup with containerd that did not finish', () => {
  test('is known by its journal; without that, by its service', async () => {
    const host = await begun()
    const known = await knownOn(host)
    expect(known).toMatchObject({config: {baseDir: String.raw`C:\k`, runtime: 'containerd'}, state: 'begun'})
    withoutRelease(host)
    expect((await knownOn(host)).config.runtime).toBe('containerd')
    host.remove(JOURNAL)
    expect((await knownOn(host)).config.runtime).toBe('containerd')
  })
})

describe('the release of a setup that stopped before it installed anything', () => {
  const known = {config: {release: {text: RELEASE}, runtime: 'containerd'}, state: 'begun'}

  test('is in the journal after a restart is required', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    expect((await setupOn(host.dir, ENABLING)).result.exitCode).toBe(10)
    expect(await knownOn(host)).toMatchObject(known)
    await setupOn(host.dir, ENABLING)
    expect(host.journal.filter(({kind}) => kind === 'release')).toHaveLength(1)
  })

  test('is in the journal after dism.exe has failed', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    host.edit(({os}) => (os.features = {containers: false, failure: 87}))
    expect((await setupOn(host.dir, ENABLING)).result.error?.id).toBe('FEATURE_NOT_ENABLED')
    expect(await knownOn(host)).toMatchObject(known)
  })

  test('is written with the first line, also of a base directory that setup creates', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    const baseDir = String.raw`C:\node`
    const killed: HostFolder[] = []
    await setupOn(
      host.dir,
      {...ENABLING, 'base-dir': baseDir, kubeconfig: String.raw`C:\k\kubeconfig`},
      {
        after({args, what}) {
          if (what === 'append' && args[0]?.endsWith('journal.ndjson') && killed.length === 0) killed.push(host.copy())
          return Promise.resolve()
        },
      },
    )
    const [first] = killed
    expect(first && (await knownOn(first, baseDir))).toMatchObject(known)
  })

  test('is the one of the newest run', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    await setupOn(host.dir, ENABLING)
    host.edit(({os}) => (os.features = {containers: false, failure: 87}))
    host.edit(({registry}) => {
      for (const key of Object.keys(registry)) if (/RebootPending$/i.test(key)) Reflect.deleteProperty(registry, key)
    })
    await setupOn(host.dir, {...ENABLING, release: '1.34.11'})
    expect((await knownOn(host)).config.release.text).toBe('1.34.11')
  })

  test.each([
    ['of a newer k8s-win', '1.99.0', 'containerd'],
    ['that is not a version', 'newest', 'docker'],
  ])('%s does not prevent the reading', async (_, version, runtime) => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    await setupOn(host.dir, ENABLING)
    withoutRelease(host)
    noteIn(host, {entry: {kind: 'release', version}, step: 'base-dir'})
    expect(await knownOn(host)).toMatchObject({config: {runtime}, state: 'begun'})
  })

  test('is gone after a reset', async () => {
    const host = await HostFolder.fresh(withoutContainers, PROFILE)
    await setupOn(host.dir, ENABLING)
    expect((await resetOn(host.dir, {given: {yes: true}})).result.exitCode).toBe(0)
    expect(await knownOn(host)).toMatchObject({state: 'absent'})
    expect(host.has(JOURNAL) && host.journal.some(({kind}) => kind === 'release')).toBe(false)
  })
})

test('node.yaml, not the journal, decides on a node that is set up; where it cannot be used, the journal', async () => {
  const host = await HostFolder.fresh()
  await setupOn(host.dir, {release: '1.22.17'})
  noteIn(host, {entry: {kind: 'release', version: '1.23.17'}, step: 'base-dir'})
  expect((await knownOn(host)).config.release.text).toBe('1.22.17')
  host.put(String.raw`k\k8s-win\node.yaml`, 'nonsense: [')
  host.remove(String.raw`k\k8s-win\node-copy.yaml`)
  expect((await knownOn(host)).config).toMatchObject({release: {text: '1.23.17'}, runtime: 'docker'})
})

test('a node with Docker that lost its journal is not taken for one with containerd', async () => {
  const host = await HostFolder.fresh()
  await setupOn(host.dir)
  host.remove(JOURNAL)
  await resetOn(host.dir, {given: {yes: true}})
  expect((await knownOn(host)).config.runtime).toBe('docker')
})
