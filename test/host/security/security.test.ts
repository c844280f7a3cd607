// Whether a security descriptor lets SYSTEM and Administrators in, and no other account.
import {describe, expect, it} from 'vitest'

import {
  ADMINISTRATORS_ONLY,
  ADMINISTRATORS_ONLY_FILE,
  isAdministratorsOnly,
  isPlainPath,
  openSecurity,
} from '../../../src/host/security/security.js'
import type {FileKind, Files} from '../../../src/machine/files.js'
import type {Win32} from '../../../src/machine/win32.js'
import {only} from '../../fakes/partial.js'

describe('a descriptor', () => {
  it.each([
    ['what we set on folders', ADMINISTRATORS_ONLY],
    ['what we set on files', ADMINISTRATORS_ONLY_FILE],
    ['SYSTEM as owner', 'O:SYD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'],
    ['with a group', 'O:BAG:DUD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)'],
    ['with a group whose name ends in D', 'O:BAG:DDD:PAI(A;OICI;FA;;;BA)'],
    ['SIDs written out', 'O:S-1-5-18D:PAI(A;;FA;;;S-1-5-32-544)(A;;FA;;;S-1-5-18)'],
    ['a refusal to others', 'O:BAD:PAI(D;;FA;;;WD)(A;;FA;;;SY)(A;;FA;;;BA)'],
    ['with an audit list', 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)S:AI(AU;SA;FA;;;WD)'],
  ])('is for administrators only: %s', (_, sddl) => {
    expect(isAdministratorsOnly(sddl)).toBe(true)
  })

  it.each([
    ['Users may read', 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'],
    ['Users may make files (the default on C:\\)', 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;CI;LC;;;BU)'],
    ['Everyone', 'O:BAD:PAI(A;;FA;;;WD)'],
    ['Authenticated Users', 'O:BAD:PAI(A;;FA;;;BA)(A;OICIIO;SDGXGWGR;;;AU)'],
    ['CREATOR OWNER', 'O:BAD:PAI(A;;FA;;;BA)(A;OICIIO;GA;;;CO)'],
    ['an account', 'O:BAD:PAI(A;;FA;;;BA)(A;;FA;;;S-1-5-21-1-2-3-1001)'],
    ['a longer SID that begins like a trusted one', 'O:BAD:PAI(A;;FA;;;S-1-5-180)'],
    ['owned by a user', 'O:S-1-5-21-1-2-3-1001D:PAI(A;;FA;;;SY)(A;;FA;;;BA)'],
    ['owned by Users', 'O:BUD:PAI(A;;FA;;;SY)(A;;FA;;;BA)'],
    ['no owner', 'D:PAI(A;;FA;;;SY)(A;;FA;;;BA)'],
    ['what it inherits may change', 'O:BAD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)'],
    ['nobody at all', 'O:BAD:P'],
    ['no list: everybody', 'O:BAD:NO_ACCESS_CONTROL'],
    ['no list named', 'O:BA'],
    ['a conditional entry, and Everyone behind it', 'O:BAD:PAI(XA;;FX;;;BA;(Member_of {SID(BA)}))(A;;FA;;;WD)'],
    ['a callback entry', 'O:BAD:PAI(XA;;FA;;;WD;(1))'],
    ['nothing', ''],
  ])('is not: %s', (_, sddl) => {
    expect(isAdministratorsOnly(sddl)).toBe(false)
  })
})

it('restrict sets what is then judged safe', async () => {
  const set: [string, string][] = []
  const win32 = only<Win32>('win32', {setSecurity: async (path, sddl) => void set.push([path, sddl])})
  const security = openSecurity(win32)
  await security.restrict('C:\\k', 'folder')
  await security.restrict('C:\\k\\kubeconfig', 'file')
  expect(set).toEqual([
    ['C:\\k', ADMINISTRATORS_ONLY],
    ['C:\\k\\kubeconfig', ADMINISTRATORS_ONLY_FILE],
  ])
})

it.each([
  ['folders and a file', {}, true],
  ['what is not there', {'C:\\k': undefined, 'C:\\k\\logs': undefined, 'C:\\k\\logs\\x': undefined}, true],
  ['a link at its end', {'C:\\k\\logs\\x': 'link'}, false],
  ['a junction above', {'C:\\k\\logs': 'link'}, false],
  ['a junction further above', {'C:\\k': 'link'}, false],
  // The root of a drive is never asked: a volume is mounted there, whatever its kind.
  ['the root of a drive', {'C:\\': 'link'}, true],
] as const)('a path over %s leads where it says: %s', async (_, kinds, isPlain) => {
  const all: Readonly<Record<string, string | undefined>> = {
    'C:\\k': 'directory',
    'C:\\k\\logs': 'directory',
    'C:\\k\\logs\\x': 'file',
    ...kinds,
  }
  const files = only<Files>('files', {
    async status(path) {
      const kind = all[path] as FileKind | undefined
      return kind && {kind, modifiedMs: 0, size: 0}
    },
  })
  expect(await isPlainPath(files, String.raw`C:\k\logs\x`)).toBe(isPlain)
})
