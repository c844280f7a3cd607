// Firewall rules: read as the registry has them, changed with netsh only where they differ.
import {describe, expect, it} from 'vitest'

import {type FirewallRule, matches, openFirewall, parseRule} from '../../src/host/firewall.js'
import type {Run} from '../../src/machine/run.js'
import type {RegistryValue, Win32} from '../../src/machine/win32.js'
import {only} from '../fakes/partial.js'

const RULE: FirewallRule = {
  description: 'Made by us.',
  name: 'k8s-win kubelet TCP 10250',
  port: 10_250,
  protocol: 'TCP',
}
const STORED =
  'v2.29|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=k8s-win kubelet TCP 10250|Desc=Made by us.|'

function open(stored: readonly string[], exitCode = 0) {
  const lines = [...stored]
  const calls: string[][] = []
  const run: Run = async (program, args, {effect}) => {
    expect([program, effect]).toEqual([String.raw`D:\WINNT\System32\netsh.exe`, 'change'])
    calls.push([...args])
    if (args[2] === 'delete') lines.length = 0
    return {durationMs: 1, exitCode, stderr: '', stdout: 'Zugriff verweigert.\r\n'}
  }

  const win32 = only<Win32>('win32', {
    registryValue: async () => ({data: String.raw`D:\WINNT`, type: 'REG_SZ'}),
    async registryValues(_root, key) {
      expect(key).toContain('FirewallRules')
      const values = lines.map((data, index): [string, RegistryValue] => [`{${index}}`, {data, type: 'REG_SZ'}])
      return Object.fromEntries([...values, ['odd', {data: 1, type: 'REG_DWORD'}]])
    },
  })
  return {calls, firewall: openFirewall(run, win32)}
}

describe('a stored rule', () => {
  it('review V11: reads the fields, and never the version, which differs by build', () => {
    for (const version of ['v2.10', 'v2.30', 'v2.31', 'v2.33', 'v3.0']) {
      expect(parseRule(STORED.replace(/^v2\.29/, version))).toEqual(parseRule(STORED))
      expect(matches(parseRule(STORED.replace(/^v2\.29/, version)), RULE)).toBe(true)
    }
  })

  it('is read', () => {
    expect(parseRule(STORED)).toEqual({
      ...RULE,
      action: 'Allow',
      direction: 'In',
      enabled: true,
      reshaped: false,
    })
    expect(parseRule('v2.29|Protocol=17|LPort=4789|').protocol).toBe('UDP')
  })

  it('keeps "=" in its texts', () => {
    expect(parseRule('v2.29|Name=a=b|Desc=c=d|')).toMatchObject({description: 'c=d', name: 'a=b'})
  })

  it('that is odd is read, and is not a match', () => {
    for (const data of ['', 'v2.29', '|||', 'Name', 'v2.29|Name=x|LPort=|']) {
      expect(matches(parseRule(data), RULE)).toBe(false)
    }
  })

  it('matches as it is', () => {
    expect(matches(parseRule(STORED), RULE)).toBe(true)
    expect(matches(undefined, RULE)).toBe(false)
  })

  it.each([
    ['Active=TRUE', 'Active=FALSE'],
    ['Action=Allow', 'Action=Block'],
    ['Dir=In', 'Dir=Out'],
    ['Protocol=6', 'Protocol=17'],
    ['LPort=10250', 'LPort=10251'],
    ['LPort=10250', 'LPort=10250|LPort=22'],
    ['LPort=10250', 'LPort2_10=10250-10260'],
    ['Desc=Made by us.', 'Desc=Made by others.'],
    ['Desc=', 'Profile=Private|Desc='],
    ['Desc=', 'RA4=10.0.0.0/255.0.0.0|Desc='],
    ['Desc=', 'RA4=LocalSubnet|Desc='],
    ['Desc=', String.raw`App=C:\other.exe|Desc=`],
    ['Desc=', 'IFType=Wireless|Desc='],
  ])('does not match with %s as %s', (from, to) => {
    expect(STORED).toContain(from)
    expect(matches(parseRule(STORED.replace(from, to)), RULE)).toBe(false)
  })
})

describe('ensure', () => {
  const ADD = [
    ...['advfirewall', 'firewall', 'add', 'rule', 'name=k8s-win kubelet TCP 10250', 'dir=in', 'action=allow'],
    ...['protocol=TCP', 'localport=10250', 'profile=any', 'enable=yes', 'description=Made by us.'],
  ]
  const DELETE = ['advfirewall', 'firewall', 'delete', 'rule', 'name=k8s-win kubelet TCP 10250']

  it('adds what is not there', async () => {
    const {calls, firewall} = open(['v2.29|Name=another|'])
    await firewall.ensure(RULE)
    expect(calls).toEqual([ADD])
  })

  it('leaves what is right', async () => {
    const {calls, firewall} = open([STORED])
    await firewall.ensure(RULE)
    expect(calls).toEqual([])
  })

  it.each([
    ['one that differs', [STORED.replace('TRUE', 'FALSE')]],
    ['two of the name', [STORED, STORED]],
  ])('replaces %s', async (_, stored) => {
    const {calls, firewall} = open(stored)
    await firewall.ensure(RULE)
    expect(calls).toEqual([DELETE, ADD])
  })

  it('reports what netsh said, with the line to try', async () => {
    const {firewall} = open([], 1)
    await expect(firewall.ensure(RULE)).rejects.toMatchObject({
      exitCode: 5,
      id: 'NETSH_FAILED',
      reason: 'netsh.exe ended with 1 and said: Zugriff verweigert.',
    })
  })
})

it('remove does not call netsh where there is no such rule', async () => {
  const absent = open([])
  await absent.firewall.remove(RULE.name)
  expect(absent.calls).toEqual([])
  const there = open([STORED])
  await there.firewall.remove(RULE.name)
  expect(there.calls).toHaveLength(1)
  expect(await there.firewall.find(RULE.name)).toEqual([])
})
