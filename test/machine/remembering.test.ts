import {describe, expect, test} from 'vitest'
import {rememberingMachine} from '../../src/machine/intercept.js'
import {standIn} from './stand-in.js'

const GET = {deadlineMs: 1000, effect: 'read', method: 'GET', url: 'http://127.0.0.1:1/healthz'} as const

describe('a machine that is asked everything once', () => {
  test('gives the same answer again, to those who ask at the same time too', async () => {
    const {calls, machine} = standIn({
      adapters: () => [{}],
      request: {body: Buffer.from('ok'), headers: {}, status: 200},
    })
    const remembering = rememberingMachine(machine)
    const [one, two] = await Promise.all([remembering.win32.adapters(), remembering.win32.adapters()])
    expect(one).toBe(two)
    expect(await remembering.http.request(GET)).toBe(await remembering.http.request(GET))
    expect(calls).toEqual(['adapters', 'request'])
  })

  test('starts a program that only reads once', async () => {
    const {calls, machine} = standIn()
    const {run} = rememberingMachine(machine)
    for (let times = 0; times < 2; times += 1) await run('C:\\a.exe', ['b'], {deadlineMs: 1, effect: 'read'})
    expect(calls).toHaveLength(1)
  })

  test('reports a refusal again', async () => {
    const {calls, machine} = standIn({computerName: new Error('refused')})
    const remembering = rememberingMachine(machine)
    for (let times = 0; times < 2; times += 1) await expect(remembering.win32.computerName()).rejects.toThrow('refused')
    expect(calls).toEqual(['computerName'])
  })

  test('keeps questions apart', async () => {
    const {calls, machine} = standIn()
    const {files, http, run, win32} = rememberingMachine(machine)
    await Promise.all([files.read('C:\\a'), files.read('C:\\b'), files.status('C:\\a')])
    await Promise.all([win32.queryServiceStatus('a'), win32.queryServiceConfig('a'), win32.queryServiceStatus('b')])
    await http.request({...GET, pipe: 'x'})
    await http.request(GET)
    await http.request({...GET, headers: {authorization: 'Bearer a'}})
    await http.request({...GET, headers: {authorization: 'Bearer b'}})
    await http.request({...GET, headers: {accept: 'application/json;as=Table'}})
    await http.request({...GET, tls: {ca: 'pem', cert: 'one'}})
    await http.request({...GET, tls: {ca: 'pem', cert: 'other'}})
    await Promise.all([files.readRange('C:\\a', 0, 1), files.readRange('C:\\a', 1, 1)])
    const read = {deadlineMs: 1, effect: 'read'} as const
    await Promise.all([run('C:\\a.exe', [], read), run('C:\\a.exe', ['b'], read)])
    await run('C:\\a.exe', [], {...read, env: {A: 'b'}})
    expect(calls).toHaveLength(18)
  })

  test('asks again what is not a plain question', async () => {
    const {calls, machine} = standIn()
    const {files, http, run, win32} = rememberingMachine(machine)
    for (let times = 0; times < 2; times += 1) {
      await files.write('C:\\a', '')
      await http.request({...GET, method: 'POST'})
      await run('C:\\a.exe', [], {deadlineMs: 1, effect: 'change'})
      await run('C:\\a.exe', [], {deadlineMs: 1, effect: 'read', signal: new AbortController().signal})
      await win32.takeMutex('m')
    }
    expect(calls).toHaveLength(10)
  })

  test('reads a small file once, to those who read it at the same time too, and a large one each time', async () => {
    for (const [bytes, times] of [
      [1024 ** 2, 1],
      [1024 ** 2 + 1, 4],
    ] as const) {
      const {machine} = standIn()
      let opened = 0
      const files = {
        ...machine.files,
        async *readChunks() {
          opened += 1
          yield Buffer.alloc(bytes - 1)
          yield Buffer.alloc(1)
        },
      }
      const remembering = rememberingMachine({...machine, files})
      const read = async (): Promise<number> => {
        let length = 0
        for await (const chunk of remembering.files.readChunks('C:\\a')) length += chunk.length
        return length
      }
      expect([...(await Promise.all([read(), read()])), await read()]).toEqual([bytes, bytes, bytes])
      expect(opened).toBe(times)
    }
  })

  test('review S2-7: looks again whose a pipe is', async () => {
    const {calls, machine} = standIn()
    const {win32} = rememberingMachine(machine)
    for (let times = 0; times < 2; times += 1) await win32.pipeServer('p')
    expect(calls).toHaveLength(2)
  })

  test('asks anew who a server is, and what it says now', async () => {
    const {calls, machine} = standIn()
    const {http} = rememberingMachine(machine)
    const probe = {...GET, isProbe: true, url: 'https://10.0.0.1:6443/x'} as const
    await http.request({...probe, tls: {isUnverified: true}})
    await http.request({...probe, tls: {ca: 'pem'}})
    await http.request({...probe, tls: {ca: 'pem'}})
    expect(calls).toHaveLength(3)
  })

  test('does not take two long questions that begin alike for one', async () => {
    const {calls, machine} = standIn()
    const {win32} = rememberingMachine(machine)
    const path = 'x'.repeat(600)
    await Promise.all([win32.securityOf(`${path}a`), win32.securityOf(`${path}b`)])
    expect(calls).toEqual(['securityOf', 'securityOf'])
  })
})
