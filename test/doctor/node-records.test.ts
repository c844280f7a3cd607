// The records of what was installed: changed, missing, lost.
import {describe, expect, it} from 'vitest'
import {noteBeginning} from '../pipeline/ledger/note-in.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {examine, setUpNode} from './doctor-rig.js'

const JOURNAL = String.raw`k\k8s-win\journal.ndjson`

describe('records', () => {
  it.each([
    ['deleted', undefined],
    ['emptied', 0],
    ['cut', 6000],
  ])(
    'review U5: a journal that was %s has one story and one advice, and no command advises to destroy the node',
    async (_, bytes) => {
      const host = await setUpNode()
      const written = host.read(JOURNAL)
      if (bytes === undefined) host.remove(JOURNAL)
      else host.put(JOURNAL, written.slice(0, bytes))
      const {check, document} = await examine(host)
      const {document: status} = await statusOn(host.dir)
      expect(document).toMatchObject({exitCode: 3, health: 'degraded', node: 'set-up', verdict: 'failed'})
      const [told] = status.problems
      expect(['JOURNAL_LOST', 'JOURNAL_DAMAGED']).toContain(told?.id)
      expect(document.problems[0]).toMatchObject({cause: told?.cause, id: told?.id, next: told?.next, seen: told?.seen})
      expect(check('node-records')).toMatchObject({fix: told?.next, result: 'fail'})
      expect(JSON.stringify([document, status])).not.toMatch(/k8s-win reset/)
      expect((await setupOn(host.dir)).result.exitCode).toBe(0)
      expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: [], verdict: 'healthy'})
    },
  )

  it('all of them gone while our services run from here: RECORDS_LOST, and the node is checked', async () => {
    const host = await setUpNode()
    host.remove(String.raw`k\k8s-win`)
    const {check, document} = await examine(host)
    expect(document).toMatchObject({exitCode: 3, node: 'unknown'})
    expect(document.problems[0]).toMatchObject({id: 'RECORDS_LOST'})
    expect(check('node-records').result).toBe('fail')
    expect(check('node-services').result).toBe('pass')
  })
})

describe('a reset that did not finish', () => {
  it('by the journal: RESET_UNFINISHED, and nothing is blamed for what is gone', async () => {
    const host = await setUpNode(({services}) =>
      Object.assign(services['kubeproxy'] ?? {}, {processId: 0, state: 'stopped'}),
    )
    noteBeginning(host, 'reset', 'keep-node')
    const {document, notable} = await examine(host)
    expect(document).toMatchObject({exitCode: 3, node: 'leaving'})
    expect(notable).toMatchObject({'node-records': 'fail'})
    const next = expect.stringContaining('k8s-win reset --keep-node') as string
    expect(document.problems[0]).toMatchObject({id: 'RESET_UNFINISHED', next})
    expect(document.problems.map(({id}) => id)).not.toContain('SERVICE_DOWN')
  })

  it.each(['reset --drain --yes', 'setup'])(
    'review W3-4: by the lock alone it is not: %s was killed before it changed anything',
    async (words) => {
      const host = await setUpNode()
      host.put(String.raw`k\k8s-win\lock.json`, JSON.stringify({command: `k8s-win ${words}`, since: 'x'}))
      const {document, notable} = await examine(host)
      expect(document).toMatchObject({exitCode: 0, node: 'set-up', problems: []})
      expect(notable).toMatchObject({'node-records': 'warn'})
    },
  )

  it('of one that was refused nothing is reported', async () => {
    const host = await setUpNode()
    const refused = {command: 'reset', exitCode: 3, steps: []}
    host.put(String.raw`k\k8s-win\result.json`, JSON.stringify(refused))
    expect((await examine(host)).document).toMatchObject({exitCode: 0, node: 'set-up'})
  })
})
