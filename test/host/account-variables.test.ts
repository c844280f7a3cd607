// Variables that an elevated command may have from its account, and those that count.
import {expect, test} from 'vitest'
import {variablesOfAccount} from '../../src/host/account-variables.js'
import {type RegistryValue, Win32Error} from '../../src/machine/win32.js'

const SID = 'S-1-5-21-1-2-3-1001'
const ACCOUNT = String.raw`HKU\S-1-5-21-1-2-3-1001\Environment`
const VOLATILE = String.raw`HKU\S-1-5-21-1-2-3-1001\Volatile Environment`
const MACHINE = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const WINDOWS = String.raw`HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`
const REGISTRY = 'K8S_WIN_IMAGE_REGISTRY'
const text = (data: string): RegistryValue => ({data, type: 'REG_SZ'})
const expandable = (data: string): RegistryValue => ({data, type: 'REG_EXPAND_SZ'})
const EVIL = {[ACCOUNT]: {[REGISTRY]: text('evil.example')}}

interface Setting {
  readonly denied?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly isAdministrator?: boolean
  readonly sid?: string
  readonly stored?: Readonly<Record<string, Readonly<Record<string, RegistryValue>>>>
  /** What the command has. */
  readonly value?: string
}

async function found(setting: Setting) {
  const {denied, environment, isAdministrator = true, sid = SID, stored = {}, value = 'evil.example'} = setting
  const demandAccess = (path: string): void => {
    if (path === denied) throw new Win32Error('RegOpenKeyExW', 5, path)
  }
  const win32 = {
    accountSid: async () => sid,
    isAdministrator: async () => isAdministrator,
    async registryKeys(root: string, key: string) {
      const path = `${root}\\${key}\\`
      demandAccess(`${root}\\${key}`)
      return Object.keys(stored).flatMap((one) => (one.startsWith(path) ? [one.slice(path.length)] : []))
    },
    async registryValue(root: string, key: string, name: string) {
      demandAccess(`${root}\\${key}`)
      return stored[`${root}\\${key}`]?.[name]
    },
  }
  return variablesOfAccount(win32, {[REGISTRY]: value, ...environment}, [REGISTRY])
}

test.each<[string, Setting]>([
  ['its environment', {stored: EVIL}],
  ['its environment, and another value for the machine', {stored: {...EVIL, [MACHINE]: {[REGISTRY]: text('ours')}}}],
  ['its volatile environment', {stored: {[VOLATILE]: {[REGISTRY]: text('evil.example')}}}],
  ['that of a session', {stored: {[`${VOLATILE}\\2`]: {[REGISTRY]: text('evil.example')}}}],
  ['its environment, since changed', {stored: {[ACCOUNT]: {[REGISTRY]: text('harmless.example')}}}],
  ['its environment, with a part that is expanded', {stored: {[ACCOUNT]: {[REGISTRY]: expandable('%x%EVIL%')}}}],
  ['a key that denies access', {denied: ACCOUNT}],
  ['keys that cannot be listed', {denied: VOLATILE}],
])('review A3-3: a variable is found that the account stores in %s', async (_, setting) => {
  expect(await found(setting)).toEqual([REGISTRY])
})

test.each<[string, Setting]>([
  ['a script, a session, a launcher or CI', {}],
  ['the machine, and the account repeats it', {stored: {...EVIL, [MACHINE]: {[REGISTRY]: text('evil.example')}}}],
  [
    'the machine, over which the account stored another one later',
    {stored: {...EVIL, [MACHINE]: {[REGISTRY]: text('ours')}}, value: 'ours'},
  ],
  ['an account that is not an administrator here', {isAdministrator: false, stored: EVIL}],
  ['SYSTEM', {sid: 'S-1-5-18', stored: EVIL}],
])('review A3-3: a value counts that is set by %s', async (_, setting) => {
  expect(await found(setting)).toEqual([])
})

const OF_MACHINE = {FOLDER: text('tools'), NESTED: expandable('%FOLDER%')}

test.each([
  [String.raw`%SystemRoot%\x`, String.raw`D:\Windows\x`],
  ['%systemdrive%%FOLDER%', 'D:tools'],
  ['100%', '100%'],
  ['%nobody%FOLDER%!', '%nobodytools!'],
  ['%%FOLDER%', '%tools'],
])('review A3-3: %s of the machine is %s, as Windows expands it', async (data, value) => {
  const machine = {
    [MACHINE]: {...OF_MACHINE, [REGISTRY]: expandable(data)},
    [WINDOWS]: {SystemRoot: text(String.raw`D:\Windows`)},
  }
  expect(await found({stored: {...EVIL, ...machine}, value})).toEqual([])
})

test('review A3-3: a variable of the account is no part of a value of the machine', async () => {
  const machine = {[MACHINE]: {[REGISTRY]: expandable('%FOLDER%.example')}}
  const stored = {...EVIL, ...machine}
  expect(await found({environment: {FOLDER: 'evil'}, stored})).toEqual([REGISTRY])
})
