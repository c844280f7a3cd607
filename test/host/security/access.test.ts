// Who besides administrators can write, or put something in the place of something else.
import {describe, expect, it} from 'vitest'

import {
  accountNames,
  hasForeignPart,
  isAdministratorsFolder,
  letsOthersIn,
  othersWho,
  TO_REPLACE,
  TO_WRITE,
} from '../../../src/host/security/access.js'
import {ADMINISTRATORS_ONLY, AS_AT_THE_ROOT} from '../../../src/host/security/security.js'

const BOB = 'S-1-5-21-1-2-3-1001'
/** C:\k of aks-engine#4633, before and after, from its icacls output. */
const AKS_BEFORE =
  'O:BAD:AI(A;ID;0x1301bf;;;AU)(A;OICIIOID;0x1301bf;;;AU)(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)'
const AKS_AFTER = 'O:BAD:PAI(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;OICI;FA;;;SY)'

describe('a folder that others can change', () => {
  it.each([
    ['Modify by inheritance', AKS_BEFORE, ['AU']],
    ['read by Users', AKS_AFTER, []],
    ['a server’s own root: others add', AS_AT_THE_ROOT, ['BU']],
    ['for administrators only', ADMINISTRATORS_ONLY, []],
    ['owned by a user', `O:${BOB}D:PAI(A;OICI;FA;;;BA)`, [BOB]],
    ['an entry for a user', `O:BAD:PAI(A;;FA;;;BA)(A;;0x2;;;${BOB})`, [BOB]],
    ['inside of it only', `O:BAD:PAI(A;;FA;;;BA)(A;OICIIO;FA;;;${BOB})`, []],
    ['the local administrator', 'O:LAD:PAI(A;;FA;;;S-1-5-21-1-2-3-500)', []],
    ['what Windows installed', 'O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:P(A;;FA;;;SY)', []],
    ['one who begins like it', 'O:S-1-5-21-1-2-3-5001D:P(A;;FA;;;SY)', ['S-1-5-21-1-2-3-5001']],
    ['no list', 'O:BAD:NO_ACCESS_CONTROL', ['WD']],
    ['no owner', 'D:P(A;;FA;;;BA)', ['an unknown account']],
    ['what is not understood', 'O:BAD:P(XA;;FA;;;BA;(x (y)))', ['an unknown account']],
  ])('%s', (_, sddl, others) => {
    expect(othersWho(sddl, TO_WRITE)).toEqual(others)
  })

  it('is not yet one whose content they can replace', () => {
    expect(othersWho(AS_AT_THE_ROOT, TO_REPLACE)).toEqual([])
    expect(othersWho(AKS_BEFORE, TO_REPLACE)).toEqual(['AU'])
    expect(othersWho('O:BAD:P(A;;DT;;;BU)', TO_REPLACE)).toEqual(['BU'])
    expect(othersWho('O:BAD:P(A;;WO;;;BU)', TO_REPLACE)).toEqual(['BU'])
  })
})

describe('a folder as wanted', () => {
  it.each([
    ['as we make it', ADMINISTRATORS_ONLY, true],
    ['with SIDs', 'O:S-1-5-18D:P(A;OICI;0x1f01ff;;;S-1-5-32-544)(A;OICI;FA;;;S-1-5-18)', true],
    ['read by Users', AKS_AFTER, false],
    ['administrators may only read', 'O:BAD:PAI(A;OICI;FRFX;;;BA)(A;OICI;FA;;;SY)', false],
    ['what is made inside inherits nothing', 'O:BAD:PAI(A;;FA;;;BA)(A;;FA;;;SY)', false],
    ['only files inside inherit it', 'O:BAD:PAI(A;OI;FA;;;BA)(A;OI;FA;;;SY)', false],
    ['only folders inside inherit it', 'O:BAD:PAI(A;CI;FA;;;BA)(A;CI;FA;;;SY)', false],
    ['what is not understood', 'O:BAD:P(XA;;FA;;;BA;(x (y)))', false],
    ['a refusal to everybody', `O:BAD:PAI(D;OICI;FA;;;WD)(A;OICI;FA;;;BA)`, false],
    ['inherited', 'O:BAD:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)', false],
  ])('%s', (_, sddl, isWanted) => {
    expect(isAdministratorsFolder(sddl)).toBe(isWanted)
  })
})

describe('what does not become safe with its folder', () => {
  it.each([
    ['inherited from an open folder', AKS_BEFORE, false],
    ['owned by a user', `O:${BOB}D:AI(A;ID;FA;;;BA)`, true],
    ['with an entry of its own', `O:BAD:AI(A;;FR;;;${BOB})(A;ID;FA;;;BA)`, true],
    ['for administrators by its own list', ADMINISTRATORS_ONLY, false],
    ['with no list', 'O:BAD:NO_ACCESS_CONTROL', true],
    ['what is not understood', 'O:BAD:P(XA;;FA;;;BA;(x (y)))', true],
    ['review S7: entries marked as inherited on a protected list', `O:BAD:PAI(A;ID;FA;;;${BOB})(A;ID;FA;;;BA)`, true],
  ])('%s', (_, sddl, isForeign) => {
    expect(hasForeignPart(sddl)).toBe(isForeign)
  })
})

describe('a list that lets others in', () => {
  it.each([
    ['inherited', AKS_BEFORE, true],
    ['of its own', AKS_AFTER, true],
    ['no list', 'O:BAD:NO_ACCESS_CONTROL', true],
    ['what is not understood', 'O:BAD:P(XA;;FA;;;BA;(x (y)))', true],
    ['for administrators only', ADMINISTRATORS_ONLY, false],
    ['a refusal to others', 'O:BAD:PAI(D;;FA;;;WD)(A;;FA;;;BA)', false],
    ['for administrators only, whoever owns it', `O:${BOB}D:PAI(A;;FA;;;BA)`, false],
  ])('%s', (_, sddl, isOpen) => {
    expect(letsOthersIn(sddl)).toBe(isOpen)
  })
})

it('accounts are named as people know them', () => {
  expect(accountNames(['AU', 'S-1-5-11', 'WD', BOB])).toBe(`Authenticated Users, Everyone, ${BOB}`)
})
