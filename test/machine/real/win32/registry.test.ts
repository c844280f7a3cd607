import {describe, expect, it} from 'vitest'
import {openRegistry} from '../../../../src/machine/real/win32/registry.js'
import {wideString} from '../../../../src/machine/real/win32/text.js'
import {fakeNative, filling} from './fake-native.js'
import type {Played} from './fake-native.js'

const ok = {result: 0}

describe('the registry', () => {
  const open = (played: Record<string, Played>) => openRegistry(fakeNative(played).native)

  it('reports a value, whatever its size', async () => {
    const stored = wideString('ü'.repeat(3000))
    const registry = open({
      RegGetValueW(key, path, name, flags, type: number[], data: Buffer, size: number[]) {
        expect([key, path, name, flags]).toEqual([-2_147_483_646, 'SOFTWARE\\x', 'v', 0x1000_ffff])
        const given = size[0]!
        size[0] = stored.length
        if (given < stored.length) return {result: 234}
        stored.copy(data)
        type[0] = 1
        return ok
      },
    })
    expect(await registry.registryValue('HKLM', 'SOFTWARE\\x', 'v')).toEqual({data: 'ü'.repeat(3000), type: 'REG_SZ'})
  })

  it('reports nothing where there is nothing, and refusals by their code', async () => {
    expect(await open({RegGetValueW: () => ({result: 2})}).registryValue('HKLM', 'k', 'v')).toBeUndefined()
    expect(await open({RegOpenKeyExW: () => ({result: 2})}).registryValues('HKLM', 'k')).toEqual({})
    const refused = open({RegGetValueW: () => ({result: 5})}).registryValue('HKLM', 'k', 'v')
    await expect(refused).rejects.toMatchObject({call: 'RegGetValueW', code: 5, subject: 'HKLM\\k\\v'})
    const binary: Played = filling(0, {4: 3})
    await expect(open({RegGetValueW: binary}).registryValue('HKLM', 'k', 'v')).rejects.toMatchObject({code: 1630})
    const missing = open({RegDeleteKeyValueW: () => ({result: 2})}).deleteRegistryValue('HKLM', 'k', 'v')
    await expect(missing).rejects.toMatchObject({call: 'RegDeleteKeyValueW', code: 2})
  })

  it('reports whether a key is there, and closes it', async () => {
    const {calls, native} = fakeNative({RegCloseKey: () => ok, RegOpenKeyExW: filling(0, {4: 7})})
    expect(await openRegistry(native).registryKeyExists('HKLM', 'k')).toBe(true)
    expect(calls).toEqual(['RegOpenKeyExW', 'RegCloseKey'])
    expect(await open({RegOpenKeyExW: () => ({result: 2})}).registryKeyExists('HKLM', 'k')).toBe(false)
    const refused = open({RegOpenKeyExW: () => ({result: 5})}).registryKeyExists('HKLM', 'k')
    await expect(refused).rejects.toMatchObject({call: 'RegOpenKeyExW', code: 5, subject: 'HKLM\\k'})
  })

  it('lists the keys below a key and closes it', async () => {
    const keys = ['1', 'Größe']
    const {calls, native} = fakeNative({
      RegCloseKey: () => ok,
      RegEnumKeyExW(_, index: number, name: Buffer, length: number[]) {
        const key = keys[index]
        if (key === undefined) return {result: 259}
        length[0] = name.write(key, 'utf16le') / 2
        return ok
      },
      RegOpenKeyExW: filling(0, {4: 5}),
    })
    expect(await openRegistry(native).registryKeys('HKU', 'k')).toEqual(keys)
    expect(calls.at(-1)).toBe('RegCloseKey')
    expect(await open({RegOpenKeyExW: () => ({result: 2})}).registryKeys('HKU', 'k')).toEqual([])
  })

  it('lists a key’s values and closes it', async () => {
    const values: [string, number, Buffer][] = [
      ['', 1, wideString('default')],
      ['Größe', 4, Buffer.from([7, 0, 0, 0])],
      ['blob', 3, Buffer.from([1])],
      ['long', 1, wideString('x'.repeat(5000))],
    ]
    const {calls, native} = fakeNative({
      RegCloseKey: () => ok,
      RegEnumValueW(
        _,
        index: number,
        name: Buffer,
        nameLength: number[],
        __,
        type: number[],
        data: Buffer,
        size: number[],
      ) {
        const value = values[index]
        if (!value) return {result: 259}
        if (size[0]! < value[2].length) return {result: 234}
        nameLength[0] = name.write(value[0], 'utf16le') / 2
        type[0] = value[1]
        size[0] = value[2].copy(data)
        return ok
      },
      RegOpenKeyExW: filling(0, {4: 5}),
    })
    expect(await openRegistry(native).registryValues('HKLM', 'k')).toEqual({
      '': {data: 'default', type: 'REG_SZ'},
      Größe: {data: 7, type: 'REG_DWORD'},
      long: {data: 'x'.repeat(5000), type: 'REG_SZ'},
    })
    expect(calls.at(-1)).toBe('RegCloseKey')
  })

  it('stores', async () => {
    let stored: unknown[] = []
    const registry = open({RegSetKeyValueW: (...args) => ((stored = args.slice(1)), ok)})
    await registry.setRegistryValue('HKLM', 'k', 'Path', {data: '%SystemRoot%;C:\\k', type: 'REG_EXPAND_SZ'})
    const bytes = wideString('%SystemRoot%;C:\\k')
    expect(stored).toEqual(['k', 'Path', 2, bytes, bytes.length])
  })
})
