import {describe, expect, test} from 'vitest'
import type {Files} from '../../src/machine/files.js'
import type {Http, HttpRequest} from '../../src/machine/http.js'
import {ReadOnlyError, readOnlyMachine} from '../../src/machine/intercept.js'
import type {Machine, Net} from '../../src/machine/machine.js'
import type {Win32} from '../../src/machine/win32.js'
import {only} from '../fakes/partial.js'

const reached: string[] = []
const answer = (what: string) => async (): Promise<never> => {
  reached.push(what)
  return undefined as never
}

const machine = readOnlyMachine(
  only<Machine>('machine', {
    files: only<Files>('files', {
      append: answer('append'),
      makeDirectory: answer('makeDirectory'),
      read: answer('read'),
      remove: answer('remove'),
      removeEmpty: answer('removeEmpty'),
      rename: answer('rename'),
      write: answer('write'),
      writeChunks: answer('writeChunks'),
    }),
    http: only<Http>('http', {download: answer('download'), request: answer('request'), stream: answer('stream')}),
    net: only<Net>('net', {}),
    run: answer('run'),
    win32: only<Win32>('win32', {
      broadcastEnvironmentChange: answer('broadcastEnvironmentChange'),
      createService: answer('createService'),
      hnsCall: answer('hnsCall'),
      setRegistryValue: answer('setRegistryValue'),
      setSecurity: answer('setSecurity'),
      stopService: answer('stopService'),
    }),
  }),
)

const request = (
  method: HttpRequest['method'],
  effect: HttpRequest['effect'],
  url = 'https://server/api',
): HttpRequest => ({
  deadlineMs: 1,
  effect,
  method,
  url,
})
const TOKEN = 'http://169.254.169.254/latest/api/token'
const REVIEW = 'https://server/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

describe('a machine that is only read', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['append', () => machine.files.append('c:\\a', 'text')],
    ['makeDirectory', () => machine.files.makeDirectory('c:\\a')],
    ['remove', () => machine.files.remove('c:\\a')],
    ['removeEmpty', () => machine.files.removeEmpty('c:\\a')],
    ['rename', () => machine.files.rename('c:\\a', 'c:\\b')],
    ['write', () => machine.files.write('c:\\a', 'text')],
    ['a download', () => machine.http.download({deadlineMs: 1, to: 'c:\\a', url: 'https://server/a'})],
    ['a POST', () => machine.http.request(request('POST', 'change'))],
    ['a DELETE', () => machine.http.request(request('DELETE', 'change'))],
    ['a PATCH that calls itself a read', () => machine.http.request(request('PATCH', 'read'))],
    ['a POST that only looks like a review', () => machine.http.request(request('POST', 'read', `${REVIEW}/other`))],
    ['a review in the query', () => machine.http.request(request('POST', 'read', `https://server/?x=${REVIEW}`))],
    ['a PUT elsewhere', () => machine.http.request(request('PUT', 'read', 'http://server/latest/api/token'))],
    ['a POST of a token', () => machine.http.request(request('POST', 'read', TOKEN))],
    ['a stream', () => machine.http.stream(request('POST', 'change'))],
    ['a program', () => machine.run('c:\\netsh.exe', [], {deadlineMs: 1, effect: 'change'})],
    ['a service', () => machine.win32.stopService('docker')],
    ['the registry', () => machine.win32.setRegistryValue('HKLM', 'a', 'b', {data: '', type: 'REG_SZ'})],
    ['an access list', () => machine.win32.setSecurity('c:\\a', 'D:')],
    ['the environment', () => machine.win32.broadcastEnvironmentChange()],
    ['HNS', () => machine.win32.hnsCall('DELETE', '/networks/1', '')],
  ])('%s is thrown before it happens', async (_, call) => {
    reached.length = 0
    await expect(call()).rejects.toThrow(ReadOnlyError)
    expect(reached).toEqual([])
  })

  test.each<[string, () => Promise<unknown>]>([
    ['read', () => machine.files.read('c:\\a')],
    ['request', () => machine.http.request(request('GET', 'read'))],
    ['request', () => machine.http.request(request('HEAD', 'read'))],
    ['request', () => machine.http.request(request('POST', 'read', REVIEW))],
    ['request', () => machine.http.request(request('PUT', 'read', TOKEN))],
    ['run', () => machine.run('c:\\plugin.exe', [], {deadlineMs: 1, effect: 'read'})],
    ['hnsCall', () => machine.win32.hnsCall('GET', '/networks/', '')],
  ])('a question is asked: %s', async (name, call) => {
    reached.length = 0
    await call()
    expect(reached).toEqual([name])
  })
})
