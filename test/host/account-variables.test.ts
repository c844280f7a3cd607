// Variables that an elevated command has from its account, and those that count.
import {expect, test} from 'vitest'
import {variablesOfAccount} from '../../src/host/account-variables.js'
import type {RegistryValue} from '../../src/machine/win32.js'

const SID = 'S-1-5-21-1-2-3-1001'
const ACCOUNT = String.raw`HKU\S-1-5-21-1-2-3-1001\Environment`
const MACHINE = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const REGISTRY = 'K8S_WIN_IMAGE_REGISTRY'
const text = (data: string): RegistryValue => ({data, type: 'REG_SZ'})

interface Stored {
  readonly account?: RegistryValue
  readonly isAdministrator?: boolean
  readonly machine?: RegistryValue
  readonly sid?: string
}

async function found({account, isAdministrator = true, machine, sid = SID}: Stored, value = 'evil.example') {
  const stored: Readonly<Record<string, RegistryValue | undefined>> = {[ACCOUNT]: account, [MACHINE]: machine}
  const win32 = {
    accountSid: async () => sid,
    isAdministrator: async () => isAdministrator,
    registryValue: async (root: string, key: string) => stored[`${root}\\${key}`],
  }
  return variablesOfAccount(win32, {[REGISTRY]: value, USERPROFILE: String.raw`C:\Users\bob`}, [REGISTRY])
}

test('review A3-3: a value that is stored for the account alone is found', async () => {
  expect(await found({account: text('evil.example')})).toEqual([REGISTRY])
  expect(await found({account: text('evil.example'), machine: text('other.example')})).toEqual([REGISTRY])
  const profile: RegistryValue = {data: String.raw`%userprofile%\x`, type: 'REG_EXPAND_SZ'}
  expect(await found({account: profile}, String.raw`C:\Users\bob\x`)).toEqual([REGISTRY])
})

test.each<[string, Stored]>([
  ['a script, a session, a launcher or CI', {}],
  ['a session, over that of the account', {account: text('other.example')}],
  ['the machine, and the account repeats it', {account: text('evil.example'), machine: text('evil.example')}],
  ['an account that is not an administrator here', {account: text('evil.example'), isAdministrator: false}],
  ['SYSTEM', {account: text('evil.example'), sid: 'S-1-5-18'}],
])('review A3-3: a value counts that is set by %s', async (_, stored) => {
  expect(await found(stored)).toEqual([])
})
