// curl.exe, certutil.exe and findstr.exe, as far as user data calls them.
import {describe, expect, it} from 'vitest'
import {runWindowsProgram} from '../../../src/simulator/launchers/windows-programs.js'
import {type Http, HttpError} from '../../../src/machine/http.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'

const run = async (name: string, args: readonly string[], input = '', files: Readonly<Record<string, string>> = {}) => {
  const host = HostFolder.empty()
  const machine = await openSimulator({dir: host.dir, profile: 'ws2025'})
  for (const [path, text] of Object.entries(files)) await machine.files.write(path, text)
  return {...(await runWindowsProgram(machine, `C:\\Windows\\System32\\${name}`, args, input)), machine}
}

const FILE = String.raw`C:\a`

describe('certutil.exe', () => {
  it('prints the digest on a line of its own', async () => {
    const {exitCode, stdout} = await run('certutil.exe', ['-hashfile', FILE, 'SHA256'], '', {[FILE]: 'abc'})
    expect(exitCode).toBe(0)
    expect(stdout?.split('\r\n')).toContain('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  it.each([
    ['-hashfile', [FILE, 'SHA256'], {}],
    ['-decode', ['-f', FILE, String.raw`C:\b`], {}],
    ['-decode', ['-f', FILE, String.raw`C:\b`], {[FILE]: 'not base64!'}],
    ['-decode', ['-f', FILE, String.raw`C:\none\b`], {[FILE]: 'YWJj'}],
  ])('%s ends with an HRESULT, which is negative: %#', async (option, args, files) => {
    expect((await run('certutil.exe', [option, ...args], '', files)).exitCode).toBeLessThan(0)
  })

  it('decodes lines of base64', async () => {
    const {exitCode, machine} = await run('certutil.exe', ['-f', '-decode', FILE, String.raw`C:\b`], '', {
      [FILE]: 'YW\r\nJj\r\n',
    })
    expect([exitCode, (await machine.files.read(String.raw`C:\b`))?.toString()]).toEqual([0, 'abc'])
  })
})

it.each([
  ['ABC', 0],
  ['AB', 1],
  ['a.c', 1],
])('findstr.exe /x /i /l finds a whole line only: %s', async (text, exitCode) => {
  expect((await run('findstr.exe', ['/l', '/x', '/i', text], 'x\r\nabc\r\n')).exitCode).toBe(exitCode)
})

describe('curl.exe --retry 2', () => {
  const args = ['--disable', '--proto', '=https', '--retry', '2', '--retry-delay', '10', '--max-time', '9']

  it.each([
    [500, 22, 3],
    [503, 22, 3],
    // By newer versions than that of Windows Server 2019.
    [408, 22, 1],
    [429, 22, 1],
    [404, 22, 1],
    ['ENOTFOUND', 6, 3],
    ['ECONNREFUSED', 7, 3],
    ['ETIMEDOUT', 28, 3],
    ['ECONNRESET', 56, 1],
    ['TRUNCATED', 18, 1],
  ])('%s: ends with %d after %d tries', async (fault, exitCode, tries) => {
    const machine = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2025'})
    let tried = 0
    const download: Http['download'] = async ({url}) => {
      tried++
      if (typeof fault === 'string') throw new HttpError(url, fault, 'no connection')
      return {bytes: 0, digest: '', status: fault}
    }
    const failing = {...machine, http: {...machine.http, download}}
    const curl = String.raw`C:\Windows\System32\curl.exe`
    const ended = await runWindowsProgram(failing, curl, [...args, '--output', FILE, 'https://example.com/'], '')
    expect([ended.exitCode, tried]).toEqual([exitCode, tries])
  })
})

describe('an error', () => {
  it.each([
    ['certutil.exe', ['-hashfile', FILE]],
    ['certutil.exe', ['-hashfile', FILE, 'MD5']],
    ['certutil.exe', ['-urlcache', FILE, 'x']],
    ['findstr.exe', ['/r', '/x', '/i', 'a']],
    ['curl.exe', ['--output', FILE, 'https://example.com/']],
    ['curl.exe', ['--disable', '--insecure', '--proto', '=https', '--output', FILE, 'https://example.com/']],
    ['powershell.exe', []],
    [String.raw`..\x\curl.exe`, []],
  ])('%s %j', async (name, args) => {
    await expect(run(name, args)).rejects.toThrow('does not know')
  })
})
