// The memo is a cache: a node that has lost all of it is verified again, and nothing else happens to it.
import {expect, test} from 'vitest'
import {journalText, readJournal} from '../../../src/pipeline/ledger/journal-format.js'
import type {JournalEntry} from '../../../src/pipeline/ledger/entries.js'
import {resetOn} from '../../reset/reset-run.js'
import {setUpHost} from '../../reset/set-up-host.js'
import {wholeHost} from '../../reset/whole-host.js'
import {setupOn} from '../../setup/in-process.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`
const {before, copy} = setUpHost()

const isMemo = (entry: JournalEntry): boolean =>
  entry.kind === 'image-proof' ||
  entry.kind === 'configuration-read' ||
  (entry.kind === 'file' && entry.sha256 !== undefined)

function withoutMemo(): ReturnType<typeof copy> {
  const host = copy()
  const {lines} = readJournal(host.read(JOURNAL))
  const kept = lines.filter(({entry}) => !isMemo(entry))
  expect(kept.length).toBeLessThan(lines.length)
  host.put(JOURNAL, journalText(kept, 1))
  return host
}

test('without its memo setup verifies programs and images again, and restarts no daemon', async () => {
  const host = withoutMemo()
  const processes = (): unknown[] =>
    ['kubelet', 'flanneld', 'kubeproxy'].map((name) => host.world.services[name]?.processId)
  const running = processes()
  const {result} = await setupOn(host.dir)
  expect(result.error).toBeUndefined()
  expect(result.steps.filter(({state}) => state === 'changed').map(({id}) => id)).toEqual([
    'base-images',
    'kubernetes-binaries',
    'cni-binaries',
    'flannel-binary',
  ])
  expect(processes()).toEqual(running)
  expect((await setupOn(host.dir)).result.recap.changed).toBe(0)
})

test('without its memo a node is removed like any other', async () => {
  const host = withoutMemo()
  const {result} = await resetOn(host.dir, {given: {purge: true, yes: true}})
  expect(result).toMatchObject({exitCode: 0, outcome: 'done'})
  expect(wholeHost(host)).toEqual(before())
})
