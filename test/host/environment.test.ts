// The machine's environment in the registry: PATH keeps its type, its order and everything that is not created by k8s-win.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {openEnvironment} from '../../src/host/environment.js'
import {type RegistryValue, type Win32, Win32Error} from '../../src/machine/win32.js'
import {only} from '../fakes/partial.js'

const KEY = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
const OURS = String.raw`C:\k\kubernetes\node\bin`

function open(start: Record<string, RegistryValue> = {}, broadcastFails = false) {
  const values = new Map(Object.entries(start))
  const seen = {broadcasts: 0}
  const win32 = only<Win32>('win32', {
    async broadcastEnvironmentChange() {
      seen.broadcasts += 1
      if (broadcastFails) throw new Win32Error('SendMessageTimeoutW', 5, 'Environment')
    },
    async deleteRegistryValue(_root, key, name) {
      expect(key).toBe(KEY)
      values.delete(name)
    },
    async registryValue(_root, key, name) {
      expect(key).toBe(KEY)
      return values.get(name)
    },
    async setRegistryValue(_root, key, name, value) {
      expect(key).toBe(KEY)
      values.set(name, value)
    },
  })
  return {environment: openEnvironment(win32), seen, values}
}

const path = (data: string, type: 'REG_EXPAND_SZ' | 'REG_SZ' = 'REG_EXPAND_SZ'): Record<string, RegistryValue> => ({
  Path: {data, type},
})

describe('PATH', () => {
  it('gets the folder at its end and keeps its type, and programs are notified', async () => {
    const {environment, seen, values} = open(path(String.raw`%SystemRoot%\system32;%SystemRoot%`))
    await environment.addToPath(OURS)
    expect(values.get('Path')).toEqual({
      data: String.raw`%SystemRoot%\system32;%SystemRoot%;C:\k\kubernetes\node\bin`,
      type: 'REG_EXPAND_SZ',
    })
    expect(await environment.isOnPath(OURS)).toBe(true)
    expect(seen.broadcasts).toBe(1)
  })

  it('review N7: is changed although the broadcast fails', async () => {
    const {environment, seen, values} = open({...path('C:\\x'), KUBECONFIG: {data: 'old', type: 'REG_SZ'}}, true)
    await environment.addToPath(OURS)
    await environment.set('KUBECONFIG', undefined)
    await environment.announce()
    expect([values.get('Path')?.data, values.has('KUBECONFIG'), seen.broadcasts]).toEqual([`C:\\x;${OURS}`, false, 3])
  })

  it('does not get it twice, however it is spelt', async () => {
    for (const there of [OURS, OURS.toUpperCase(), `${OURS}\\`]) {
      const {environment, seen, values} = open(path(`C:\\x;${there};C:\\y`))
      await environment.addToPath(OURS)
      expect(values.get('Path')?.data).toBe(`C:\\x;${there};C:\\y`)
      expect(seen.broadcasts).toBe(0)
    }
  })

  it('keeps the first where it stands several times', async () => {
    const {environment, seen, values} = open(path(`C:\\x;${OURS.toLowerCase()};C:\\y;${OURS};${OURS}\\`, 'REG_SZ'))
    expect(await environment.isOnPathOnce(OURS)).toBe(false)
    await environment.addToPath(OURS)
    expect(values.get('Path')).toEqual({data: `C:\\x;${OURS.toLowerCase()};C:\\y`, type: 'REG_SZ'})
    expect(await environment.isOnPathOnce(OURS)).toBe(true)
    expect(seen.broadcasts).toBe(1)
  })

  it('is as it was when the folder is taken out again', async () => {
    const folder = fc.constantFrom(
      '',
      String.raw`C:\a`,
      String.raw`%SystemRoot%\system32`,
      String.raw`C:\k\kubernetes`,
      ' ',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(folder), fc.constantFrom('REG_SZ', 'REG_EXPAND_SZ'), async (folders, type) => {
        const before = path(folders.join(';'), type)
        const {environment, values} = open(before)
        await environment.addToPath(OURS)
        expect(await environment.isOnPath(OURS)).toBe(true)
        await environment.removeFromPath(OURS.toLowerCase())
        expect(values.get('Path')).toEqual(before.Path)
      }),
    )
  })

  it('loses the folder only, not one that begins or ends alike', async () => {
    const {environment, values} = open(path(`${OURS}2;${OURS};D:\\${OURS.slice(3)};${OURS}\\x`))
    await environment.removeFromPath(OURS)
    expect(values.get('Path')?.data).toBe(`${OURS}2;D:\\${OURS.slice(3)};${OURS}\\x`)
  })

  it('is not written where there is nothing to take out', async () => {
    const {environment, seen, values} = open(path('C:\\x', 'REG_SZ'))
    await environment.removeFromPath(OURS)
    expect(values.get('Path')).toEqual({data: 'C:\\x', type: 'REG_SZ'})
    expect(seen.broadcasts).toBe(0)
  })

  it('is made where there is none', async () => {
    const {environment, values} = open()
    await environment.addToPath(OURS)
    expect(values.get('Path')).toEqual({data: OURS, type: 'REG_EXPAND_SZ'})
  })
})

describe('a variable', () => {
  it('is set, read and removed', async () => {
    const {environment, seen, values} = open()
    expect(await environment.get('KUBECONFIG')).toBeUndefined()
    await environment.set('KUBECONFIG', String.raw`C:\k\kubeconfig`)
    expect(values.get('KUBECONFIG')).toEqual({data: String.raw`C:\k\kubeconfig`, type: 'REG_SZ'})
    expect(await environment.get('KUBECONFIG')).toBe(String.raw`C:\k\kubeconfig`)
    await environment.set('KUBECONFIG', undefined)
    expect(values.size).toBe(0)
    expect(seen.broadcasts).toBe(2)
  })

  it('that holds another is expanded, also when it is restored', async () => {
    const {environment, values} = open()
    await environment.set('KUBECONFIG', String.raw`%USERPROFILE%\.kube\config`)
    expect(values.get('KUBECONFIG')?.type).toBe('REG_EXPAND_SZ')
  })
})
