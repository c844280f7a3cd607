// node.yaml is damaged: its copy is used where the journal says that it is of the last setup, and offered otherwise.
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest'
import {openSimulator} from '../../src/simulator/simulator.js'
import {allowEverything} from '../fakes/administrator.js'
import {noteIn} from '../pipeline/ledger/note-in.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recoverOn} from './recover-on.js'

const NODE_YAML = String.raw`k\k8s-win\node.yaml`
const COPY = String.raw`k\k8s-win\node-copy.yaml`
const GIVEN = {'node-label': ['a=b'], 'node-name': 'worker-7', release: '1.22.17'}

const node = HostFolder.empty()
beforeAll(async () => {
  await openSimulator({dir: node.dir, profile: 'ws2019'})
  // The certificate of the fresh host is for win-1.
  node.edit(allowEverything)
  expect((await setupOn(node.dir, GIVEN)).result.exitCode).toBe(0)
})
afterAll(() => node.discard())

function damaged(content: Buffer | string): HostFolder {
  const host = node.copy()
  onTestFinished(() => host.discard())
  host.put(NODE_YAML, content)
  return host
}

/** In the middle of a text. */
const torn = (): string => node.read(NODE_YAML).split('orker-7')[0] ?? ''

describe('review W3-7: a node.yaml that cannot be used', () => {
  test.each<[string, () => Buffer | string]>([
    ['is empty', () => ''],
    ['is torn', torn],
    ['has a value that is none', () => node.read(NODE_YAML).replace('1.22.17', '1.22.x')],
    ['reads as zeros', () => '\0'.repeat(500)],
    ['is not UTF-8', () => Buffer.from([0x6e, 0xff, 0xfe, 0x80])],
  ])('that %s: its copy is used, and recover and setup restore it', async (_, content) => {
    const host = damaged(content())
    const {document} = await statusOn(host.dir)
    expect(document).toMatchObject({exitCode: 8, node: {name: 'worker-7'}, release: '1.22.17'})
    expect(document.problems).toMatchObject([{command: 'k8s-win recover', id: 'STORED_CONFIG_UNUSABLE'}])
    expect(document.drift).not.toBeNull()
    expect((await recoverOn(host.dir)).result).toMatchObject({exitCode: 0, node: {name: 'worker-7'}})
    expect(host.read(NODE_YAML)).toBe(node.read(NODE_YAML))
    expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: []})
  })

  test('setup does not ask for the options either', async () => {
    const host = damaged(torn())
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0, recap: {changed: 0}})
    expect(host.read(NODE_YAML)).toBe(node.read(NODE_YAML))
  })

  test.each<[string, (host: HostFolder) => void]>([
    [
      'a later upgrade began',
      (host) => noteIn(host, {entry: {failed: true, kind: 'began', run: 'upgrade'}, step: 'base-dir'}),
    ],
    ['the journal does not name it', (host) => host.put(COPY, host.read(COPY).replace('a: "b"', 'a: "c"'))],
    ['the journal is lost', (host) => host.remove(String.raw`k\k8s-win\journal.ndjson`)],
  ])('where %s the copy is offered, and nothing uses it', async (_, change) => {
    const host = damaged(torn())
    change(host)
    const {result} = await recoverOn(host.dir)
    expect(result).toMatchObject({error: {id: 'STORED_CONFIG_UNUSABLE'}, exitCode: 3})
    expect(result.error?.fix).toContain(
      String.raw`delete C:\k\k8s-win\node.yaml and run 'k8s-win setup --node-name worker-7 --config "C:\k\k8s-win\node-copy.yaml"'`,
    )
    expect(host.read(NODE_YAML)).toBe(torn())
    host.remove(NODE_YAML)
    const config = String.raw`C:\k\k8s-win\node-copy.yaml`
    expect((await setupOn(host.dir, {config, 'node-name': 'worker-7'})).result.exitCode).toBe(0)
  })

  test('reset removes the copy', async () => {
    const host = damaged(torn())
    expect((await resetOn(host.dir, {given: {yes: true}})).result.exitCode).toBe(0)
    expect(host.has(COPY)).toBe(false)
  })
})
