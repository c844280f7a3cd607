// By which names our files are known among others' in folders that a purge empties.
import {expect, test} from 'vitest'
import {isDaemonLog, isRecord, isRunLog, sortOut} from '../../../src/pipeline/owned/own-file-names.js'
import type {FileKind, Files} from '../../../src/machine/files.js'
import {only} from '../../fakes/partial.js'

const CUT = '01234567-89ab-cdef-0123-456789abcdef.tmp'

test.each([
  'kubelet.exe.WIN-1.NT_AUTHORITY_SYSTEM.log.INFO.20260101-000000.1234',
  'kube-proxy.exe.WIN-1.WORKGROUP_WIN-1$.log.ERROR.20260101-000000.1',
  'kubelet.exe.WARNING',
  'shawl_for_flanneld_rCURRENT.log',
  'shawl_for_flanneld_r00001.log',
  'kubelet.log',
  'kube-proxy-20260101-000000.log',
])('%s is a log of a daemon of k8s-win', (name) => expect(isDaemonLog(name)).toBe(true))

test.each([
  'own.txt',
  'containerd.log',
  'kubelet.exe',
  'kubelet-notes.log.INFO.20260101-000000.1',
  'backup.exe.WIN-1.user.log.INFO.20260101-000000.1234',
  'shawl_for_backup_rCURRENT.log',
  'kubelet.exe.WIN-1.user.log.INFO.20260101-000000.1234.zip',
])('%s is none', (name) => expect(isDaemonLog(name)).toBe(false))

test.each([
  'journal.ndjson',
  'Journal.ndjson',
  'journal.ndjson.damaged',
  'lock.json',
  'node.yaml',
  `result.json.${CUT}`,
])('%s is a record of k8s-win', (name) => expect(isRecord(name)).toBe(true))

test.each(['bundle.zip', 'journal.ndjson.bak', 'my-node.yaml', CUT, `own.txt.${CUT}`])('%s is none', (name) =>
  expect(isRecord(name)).toBe(false),
)

test.each([
  ['setup-2026-01-01T00-00-00-000Z.log', true],
  ['setup-2026-01-01T00-00-00-000Z.log.trace', true],
  ['setup-2026-01-01T00-00-00-000Z.trace', false],
  ['verify-2026-01-01T00-00-00-000Z.log', true],
  ['reset-2026-01-01T00-00-00-000Z.log', true],
  ['restart-2026-01-01T00-00-00-000Z.log', true],
  ['run-2026-01-01T00-00-00-000Z.log', true],
  ['start-2026-01-01T00-00-00-000Z.log', true],
  ['stop-2026-01-01T00-00-00-000Z.log.trace', true],
  ['watch-2026-01-01T00-00-00-000Z.log', true],
  ['watch-service-2026-01-01T00-00-00-000Z.log', true],
  ['watch-other-2026-01-01T00-00-00-000Z.log', false],
  ['reset.log', false],
  ['old-setup-2026-01-01T00-00-00-000Z.log', false],
])('%s is a log of a run: %s', (name, isOurs) => expect(isRunLog(name)).toBe(isOurs))

test.each<[string, FileKind | undefined, object]>([
  [
    'a folder',
    'directory',
    {others: ['mine.txt', 'lock.json', 'gone'], own: [String.raw`C:\k\node.yaml`, String.raw`C:\k\result.json`]},
  ],
  ['a link, which is not followed', 'link', {others: [], own: []}],
  ['nothing', undefined, {others: [], own: []}],
])('what is in %s is sorted by its name, and a folder is never a record', async (_, kind, sorted) => {
  const kinds: Readonly<Record<string, FileKind | undefined>> = {
    'C:\\k': kind,
    'C:\\k\\lock.json': 'directory',
    'C:\\k\\mine.txt': 'file',
    'C:\\k\\node.yaml': 'file',
  }
  const files = only<Files>('files', {
    // The last one is removed before it is looked at.
    list: async () => ['mine.txt', 'node.yaml', 'lock.json', 'gone', 'result.json'],
    async status(path) {
      const found = kinds[path]
      return found && {kind: found, modifiedMs: 0, size: 0}
    },
  })
  expect(await sortOut(files, 'C:\\k', isRecord)).toEqual(sorted)
})
