import {describe, expect, test} from 'vitest'
import {describeChanges} from '../../../src/pipeline/plan/describe.js'
import type {FileView, RecordedChange} from '../../../src/pipeline/plan/record.js'

const told = (...changes: readonly RecordedChange[]): string[] =>
  describeChanges(changes, {decided: (text) => text, digestOf: () => undefined})

const NOTHING: FileView = {kind: 'nothing'}
const FOLDER: FileView = {kind: 'folder'}
const text = (content: string): FileView => ({content: Buffer.from(content), kind: 'file'})
const file = (path: string, before: FileView, after: FileView, secret = false): RecordedChange => ({
  after,
  before,
  kind: 'file',
  path,
  secret,
})

describe('files in a plan', () => {
  test('are reported as they are in the end, with what is other in them', () => {
    expect(
      told(
        file('C:\\k', NOTHING, FOLDER),
        file('C:\\k\\a', text('one\ntwo\n'), text('one\n')),
        file('C:\\k\\a', text('one\n'), text('one\nthree\n')),
        file('C:\\k\\gone', text('x'), NOTHING),
      ),
    ).toEqual([
      'create the folder C:\\k',
      'replace C:\\k\\a\n@@ -1,2 +1,2 @@\n one\n-two\n+three',
      'remove C:\\k\\gone',
    ])
  })

  test('that come and go, or are as they were, are not reported', () => {
    expect(
      told(
        file('C:\\k\\stage', NOTHING, FOLDER),
        file('C:\\k\\stage\\a.exe', NOTHING, text('MZ a')),
        file('C:\\k\\stage\\a.exe', text('MZ a'), NOTHING),
        file('C:\\k\\a.exe', NOTHING, text('MZ a')),
        {from: 'C:\\k\\stage\\a.exe', kind: 'rename', to: 'C:\\k\\a.exe'},
        file('C:\\k\\stage', FOLDER, NOTHING),
        file('C:\\k\\same', text('a'), text('a')),
      ),
    ).toEqual(['write C:\\k\\a.exe'])
  })

  test('that were there before and are kept aside are reported as a rename', () => {
    expect(
      told(
        file('C:\\k\\a', text('theirs'), NOTHING),
        file('C:\\k\\a.before', NOTHING, text('theirs')),
        {from: 'C:\\k\\a', kind: 'rename', to: 'C:\\k\\a.before'},
        file('C:\\k\\a', NOTHING, text('ours')),
      ),
    ).toEqual(['rename C:\\k\\a to C:\\k\\a.before', 'replace C:\\k\\a\n@@ -1 +1 @@\n-theirs\n+ours'])
  })

  test.each([
    ['for administrators alone', file('C:\\k\\a', NOTHING, text('anything'), true)],
    ['a kubeconfig', file('C:\\k\\a', NOTHING, text('users:\n- user:\n    client-key-data: LS0t\n'))],
    ['a token', file('C:\\k\\a', NOTHING, text('users:\n- user:\n    token: canary\n'))],
    ['a key', file('C:\\k\\a', NOTHING, text('-----BEGIN PRIVATE KEY-----\ncanary\n'))],
    ['what was there before', file('C:\\k\\a', text('    password: canary\n'), text('nothing\n'))],
  ])('that hold a secret are reported without what is in them: %s', (_, change) => {
    expect(told(change)).toEqual([expect.stringMatching(/^(?:write|replace) C:\\k\\a \(contents not shown\)$/)])
  })

  test('that are no text are reported by name alone', () => {
    expect(told(file('C:\\a', NOTHING, text('a\0b')), file('C:\\b', {kind: 'file'}, text('MZ')))).toEqual([
      'write C:\\a',
      'replace C:\\b',
    ])
  })
})
