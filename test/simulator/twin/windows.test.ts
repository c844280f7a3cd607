// Windows on the twin: as the host has it, changed as a host is, and the host hears only questions.
import {describe, expect, test} from 'vitest'
import type {Machine} from '../../../src/machine/machine.js'
import type {ServiceConfig} from '../../../src/machine/win32.js'
import {open} from './rig.js'

const RULES = String.raw`SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules`
const NETSH = String.raw`C:\Windows\System32\netsh.exe`
const RESTRICTED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

const CONFIG: ServiceConfig = {
  account: 'LocalSystem',
  dependencies: ['docker'],
  description: '',
  displayName: 'mine',
  failureActions: {resetAfterSeconds: 0, restartDelaysMs: []},
  failureFlag: false,
  imagePath: String.raw`"C:\Program Files\docker\dockerd.exe"`,
  startType: 'demand',
}

describe('services', () => {
  test("are the host's, and changed on the twin only", async () => {
    const {host, twin} = await open()
    const {win32} = twin.machine
    expect(await win32.queryServiceConfig('Docker')).toEqual(await host.win32.queryServiceConfig('docker'))
    await win32.createService('mine', CONFIG)
    await win32.startService('mine')
    expect(await win32.dependentServices('docker')).toEqual(['mine'])
    expect(await host.win32.queryServiceConfig('mine')).toBeUndefined()
    await expect(win32.stopService('docker')).rejects.toMatchObject({code: 1051})
  })

  test('for what a service depends on, its other dependents are not asked for', async () => {
    const {asked, twin} = await open()
    await twin.machine.win32.queryServiceStatus('hns')
    expect(asked).toContain('queryServiceStatus rpcss')
    expect(asked).not.toContain('dependentServices rpcss')
  })
})

describe('registry and firewall', () => {
  test('values are read once, and written over on the twin only', async () => {
    const {host, twin} = await open()
    const key = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
    const {win32} = twin.machine
    expect(await win32.registryValue('HKLM', key, 'OS')).toEqual({data: 'Windows_NT', type: 'REG_SZ'})
    await win32.setRegistryValue('HKLM', key, 'os', {data: 'other', type: 'REG_SZ'})
    expect(await win32.registryValue('HKLM', key, 'OS')).toEqual({data: 'other', type: 'REG_SZ'})
    expect(await host.win32.registryValue('HKLM', key, 'OS')).toEqual({data: 'Windows_NT', type: 'REG_SZ'})
    await win32.deleteRegistryValue('HKLM', key, 'OS')
    expect(await win32.registryValue('HKLM', key, 'OS')).toBeUndefined()
  })

  test('a rule stays as it is stored, whatever is in it, and goes by its name', async () => {
    const stored = 'v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=1|ICMP4=8:*|Name=Echo|Desc=@x.dll,-1|'
    const {host, twin} = await open((world) => {
      const rule = {action: 'allow', description: '', direction: 'in', enabled: true, localPort: 'any'} as const
      world.firewall['Echo'] = [{...rule, name: 'Echo', profiles: 'any', protocol: 'TCP', stored}]
    })
    const rules = async ({win32}: Machine): Promise<unknown[]> =>
      Object.values(await win32.registryValues('HKLM', RULES)).map(({data}) => data)
    expect(await rules(twin.machine)).toEqual([stored])
    const args = ['advfirewall', 'firewall', 'delete', 'rule', 'name=Echo']
    const {exitCode} = await twin.machine.run(NETSH, args, {deadlineMs: 1000, effect: 'change'})
    expect({exitCode, host: await rules(host), twin: await rules(twin.machine)}).toEqual({
      exitCode: 0,
      host: [stored],
      twin: [],
    })
  })
})

describe('access lists', () => {
  test('are inherited anew where a folder above was closed', async () => {
    const {host, twin} = await open()
    const {files, win32} = twin.machine
    const child = String.raw`C:\k\kubeconfig`
    expect(await win32.securityOf(child)).toBe(await host.win32.securityOf(child))
    await win32.setSecurity('C:\\k', RESTRICTED)
    expect(await win32.securityOf(child)).toBe('O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)')
    await files.write(String.raw`C:\k\new`, '', {sddl: 'O:BAD:P(A;;FA;;;SY)'})
    expect(await win32.securityOf(String.raw`C:\k\new`)).toBe('O:BAD:P(A;;FA;;;SY)')
    const seen = await win32.survey([{inside: true, path: 'C:\\k'}])
    expect(seen.map(({path}) => path)).toEqual(['C:\\k', child, String.raw`C:\k\new`])
  })

  test("a file's own list goes with it, and away with it", async () => {
    const own = 'O:BAD:PAI(A;;FA;;;SY)(A;;FR;;;BU)'
    const {twin} = await open((world) => (world.security[String.raw`c:\k\kubeconfig`] = own))
    const {files, win32} = twin.machine
    await files.rename(String.raw`C:\k\kubeconfig`, String.raw`C:\k\aside`)
    expect(await win32.securityOf(String.raw`C:\k\aside`)).toBe(own)
    await files.write(String.raw`C:\k\kubeconfig`, 'other')
    expect(await win32.securityOf(String.raw`C:\k\kubeconfig`)).not.toBe(own)
    await expect(win32.securityOf(String.raw`C:\k\gone`)).rejects.toMatchObject({code: 2})
  })
})
