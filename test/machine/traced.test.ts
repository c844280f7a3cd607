import {describe, expect, it} from 'vitest'
import {FileError} from '../../src/machine/files.js'
import {HttpError} from '../../src/machine/http.js'
import {tracedMachine} from '../../src/machine/traced.js'
import type {EffectEntry} from '../../src/machine/traced.js'
import {Win32Error} from '../../src/machine/win32.js'
import {standIn} from './stand-in.js'

function traced(answers: Readonly<Record<string, unknown>> = {}) {
  const {calls, machine} = standIn(answers)
  const entries: EffectEntry[] = []
  return {calls, entries, machine: tracedMachine(machine, (entry) => entries.push(entry)), slow: machine.clock}
}

const request = {deadlineMs: 1000, effect: 'read', method: 'GET', url: 'https://u:hunter2@host/p?token=abc'} as const

describe('the trace', () => {
  it('reports a program with its arguments, exit code and duration', async () => {
    const {entries, machine, slow} = traced({
      async run() {
        await slow.sleep(250)
        return {durationMs: 250, exitCode: 1, stderr: 's', stdout: 's'}
      },
    })
    const result = await machine.run('C:\\Windows\\System32\\netsh.exe', ['advfirewall', 'x'], {
      deadlineMs: 1,
      effect: 'change',
    })
    expect(result.exitCode).toBe(1)
    expect(entries).toEqual([
      {
        args: ['advfirewall', 'x'],
        at: '1970-01-01T00:00:00.000Z',
        durationMs: 250,
        kind: 'change',
        outcome: 'exit 1',
        via: 'run',
        what: 'C:\\Windows\\System32\\netsh.exe',
      },
    ])
  })

  it('reports HTTP without secrets, headers and bodies', async () => {
    const {entries, machine} = traced()
    await machine.http.request({
      ...request,
      body: 'b0dy',
      headers: {authorization: 'Bearer zzz'},
      pipe: '\\\\.\\pipe\\d',
    })
    await machine.http.stream({...request, effect: 'change', method: 'POST'})
    await machine.http.download({deadlineMs: 1, to: 'C:\\k\\a', url: request.url})
    expect(entries.map(({args, kind, outcome, what}) => [what, ...args, kind, outcome])).toEqual([
      ['GET', 'https://host/p?token=***', '\\\\.\\pipe\\d', 'read', 'status 404'],
      ['POST', 'https://host/p?token=***', 'change', 'status 200'],
      ['DOWNLOAD', 'https://host/p?token=***', 'C:\\k\\a', 'change', 'status 200'],
    ])
    expect(JSON.stringify(entries)).not.toMatch(/hunter2|abc|b0dy|zzz/u)
  })

  it('reports file changes by path only, and no reads', async () => {
    const {calls, entries, machine} = traced()
    await machine.files.write('C:\\k\\f', 'c0ntent')
    await machine.files.append('C:\\k\\f', 'c0ntent')
    await machine.files.rename('C:\\k\\f', 'C:\\k\\g')
    await machine.files.remove('C:\\k\\g')
    await machine.files.makeDirectory('C:\\k\\d')
    await machine.files.read('C:\\k\\f')
    await machine.files.status('C:\\k\\f')
    await machine.net.isPortFree('tcp', 10_250)
    for await (const chunk of machine.files.readChunks('C:\\k\\f')) expect(Buffer.from(chunk).toString()).toBe('chunk')
    expect(entries.map(({what}) => what)).toEqual(['write', 'append', 'rename', 'remove', 'makeDirectory'])
    expect(JSON.stringify(entries)).not.toContain('c0ntent')
    expect(calls).toHaveLength(9)
  })

  it('reports Win32 calls with their kind', async () => {
    const {entries, machine} = traced({hnsCall: {hresult: -2_147_023_728, response: ''}, isAdministrator: true})
    expect(await machine.win32.isAdministrator()).toBe(true)
    expect(await machine.win32.hnsCall('GET', '/networks', '')).toMatchObject({hresult: -2_147_023_728})
    await machine.win32.hnsCall('POST', '/networks', '{}')
    await machine.win32.setRegistryValue('HKLM', 'SOFTWARE\\x', 'v', {data: 'http://u:hunter2@proxy', type: 'REG_SZ'})
    expect(entries.map(({args, kind, outcome, what}) => [what, kind, outcome, ...args])).toEqual([
      ['isAdministrator', 'read', 'ok'],
      ['hnsCall', 'read', 'hresult 0x80070490', 'GET', '/networks', ''],
      ['hnsCall', 'change', 'hresult 0x80070490', 'POST', '/networks', '{}'],
      ['setRegistryValue', 'change', 'ok', 'HKLM', 'SOFTWARE\\x', 'v', '{"data":"http://***@proxy","type":"REG_SZ"}'],
    ])
  })

  it('cuts long arguments in what it reports, not in what it does', async () => {
    let received = ''
    const {entries, machine} = traced({hnsCall: (...args: string[]) => void (received = args[2]!)})
    await machine.win32.hnsCall('POST', '/networks', 'x'.repeat(5000))
    expect(received).toHaveLength(5000)
    expect(entries[0]?.args[2]).toHaveLength(501)
  })

  it.each([
    ['startService', new Win32Error('StartServiceW', 1056, 'kubelet'), 'error 1056'],
    ['startService', new TypeError('a bug'), 'error TypeError'],
    ['write', new FileError('write', 'f', 'EBUSY'), 'error EBUSY'],
    ['request', new HttpError('u', 'ECONNREFUSED', 'm'), 'error ECONNREFUSED'],
  ])('reports a failure of %s and passes it on', async (call, error, outcome) => {
    const {entries, machine} = traced({[call]: error})
    const made: Record<string, () => Promise<unknown>> = {
      request: () => machine.http.request(request),
      startService: () => machine.win32.startService('kubelet'),
      write: () => machine.files.write('f', 'x'),
    }
    await expect(made[call]?.()).rejects.toBe(error)
    expect(entries.map((entry) => entry.outcome)).toEqual([outcome])
  })

  it('works with a machine whose calls need their object', async () => {
    const {machine} = standIn()
    const win32 = {
      ...machine.win32,
      async computerName() {
        return this.isAdministrator === machine.win32.isAdministrator ? 'win-1' : 'lost'
      },
    }
    expect(await tracedMachine({...machine, win32}, () => undefined).win32.computerName()).toBe('win-1')
  })
})
