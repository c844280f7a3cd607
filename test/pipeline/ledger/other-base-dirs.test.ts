// Whose is what, where a node was moved: by where its services run from.
import {describe, expect, it} from 'vitest'
import type {Host} from '../../../src/host/host.js'
import {type JournalLine, openJournal} from '../../../src/pipeline/ledger/journal.js'
import {findElsewhere, homesOfServices} from '../../../src/pipeline/ledger/other-base-dirs.js'
import {memoryFiles} from '../../fakes/memory-files.js'

const OLD = String.raw`C:\k`
const NEW = String.raw`D:\new k`
const LINES: readonly JournalLine[] = [
  {entry: {kind: 'directory', path: String.raw`c:\K\cni`}, step: 'cni-binaries'},
  {entry: {kind: 'file', path: String.raw`C:\k\flanneld.exe`}, step: 'flannel-binary'},
  {entry: {kind: 'firewall-rule', name: 'k8s-win kubelet TCP 10250'}, step: 'firewall-rules'},
  {entry: {kind: 'service', name: 'kubelet'}, step: 'kubelet-service'},
  {entry: {kind: 'tree', path: String.raw`C:\var\lib\kubelet`}, step: 'kubelet-service'},
  {entry: {kind: 'directory', path: String.raw`C:\k\logs\kubelet`}, step: 'kubelet-service'},
  {entry: {kind: 'node', name: 'win-1'}, step: 'node-registered'},
  {entry: {kind: 'service', name: 'flanneld'}, step: 'flanneld-service'},
  {entry: {kind: 'tree', path: String.raw`C:\run\flannel\subnet.env`}, step: 'flanneld-service'},
  {entry: {kind: 'file', path: String.raw`C:\k2\other`}, step: 'net-conf'},
]

/** Services of ours, by the base directory they run from. */
const hostWith = (homes: Readonly<Record<string, string>>): Host =>
  ({
    services: {
      imagePath: (name: string) =>
        Promise.resolve(
          name === 'flanneld'
            ? `"${homes[name]}\\shawl.exe" run`
            : `"${homes[name]}\\kubernetes\\node\\bin\\kubelet.exe"`,
        ),
      isOurs: (name: string) => Promise.resolve(homes[name] !== undefined),
    },
  }) as unknown as Host

async function look(homes: Readonly<Record<string, string>>) {
  const journal = await openJournal(memoryFiles(), String.raw`C:\k\k8s-win\journal.ndjson`, () => 0)
  for (const {entry, step} of LINES) await journal.record(step, entry)
  return findElsewhere(hostWith(homes), OLD, journal)
}

const kept = (found: Awaited<ReturnType<typeof look>>): number[] =>
  (found?.journal.all() ?? []).map((line) => LINES.findIndex((one) => JSON.stringify(one) === JSON.stringify(line)))

describe('a node', () => {
  it('that is here, or nowhere, is not elsewhere', async () => {
    expect(await look({flanneld: OLD, kubelet: 'c:\\K'})).toBeUndefined()
    expect(await look({})).toBeUndefined()
  })

  it('that is elsewhere has all that is outside of this base directory', async () => {
    const found = await look({flanneld: NEW, kubelet: NEW})
    expect(found?.homes).toEqual([NEW])
    expect(kept(found)).toEqual([0, 1, 5])
    expect(found?.journal.entries('kubelet-service', 'service')).toEqual([])
    expect(found?.journal.entries('kubelet-service', 'directory')).toHaveLength(1)
  })

  it('whose move did not come to its end has what its services there have made, and nothing else', async () => {
    expect(kept(await look({flanneld: OLD, kubelet: NEW}))).toEqual([0, 1, 2, 5, 7, 8, 9])
  })

  it('is found by its services', async () => {
    expect([...(await homesOfServices(hostWith({flanneld: OLD, kubelet: NEW})))]).toEqual([
      [NEW, ['kubelet']],
      [OLD, ['flanneld']],
    ])
  })
})
