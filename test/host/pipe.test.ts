// Whose a pipe is: by the process that serves it, or by its owner. Nothing is sent to any other.
import {describe, expect, it, test} from 'vitest'
import {judgedHttp, openPipes} from '../../src/host/pipe.js'
import {type Http, HttpError} from '../../src/machine/http.js'
import {retryingMachine} from '../../src/machine/retrying.js'
import {type RunningProcess, Win32Error} from '../../src/machine/win32.js'
import {healthyNode} from '../status/status-on.js'
import {handClock} from '../fakes/hand-clock.js'
import {only} from '../fakes/partial.js'
import {standIn} from '../machine/stand-in.js'
import {resetOn} from '../reset/reset-run.js'
import {setupOn} from '../setup/in-process.js'

const PIPE = String.raw`\\.\pipe\docker_engine`
const BY_ADMINISTRATORS = 'O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)'
const BY_BOB = 'O:S-1-5-21-1-2-3-1001D:(A;;FA;;;WD)'

interface Setting {
  readonly isUser?: boolean
  readonly processes?: readonly (readonly [id: number, parentId: number, startedAt: number])[]
  readonly sddl?: string
  readonly server?: number | Win32Error
  readonly service?: number
}

function pipesOf({isUser = false, processes = [], sddl = BY_ADMINISTRATORS, server = 40, service}: Setting) {
  return openPipes({
    isAdministrator: async () => !isUser,
    pipeServer: async () => {
      if (server instanceof Win32Error) throw server
      return server === 0 ? undefined : {processId: server, sddl}
    },
    processes: async () => processes.map(([id, parentId]): RunningProcess => ({id, name: 'x.exe', parentId})),
    processStartedAt: async (asked) => processes.find(([id]) => id === asked)?.[2],
    queryServiceStatus: async () =>
      service === undefined ? undefined : {processId: service, serviceExitCode: 0, state: 'running', win32ExitCode: 0},
  })
}

const WRAPPED = [
  [10, 4, 100],
  [20, 10, 200],
  [40, 20, 300],
] as const
const DENIED = new Win32Error('CreateFileW', 5, PIPE)

describe('review S2-7: a pipe', () => {
  it.each<[string, Setting]>([
    ["is the service's own", {service: 40}],
    ['is of a program below a wrapper of the service', {processes: WRAPPED, service: 10}],
  ])('is used where it %s', async (_, setting) => {
    await pipesOf(setting).demand(PIPE, 'docker')
  })

  it.each<[string, Setting]>([
    ['there is no such service', {}],
    ['the service is stopped', {processes: WRAPPED, service: 0}],
    ['the server is another process', {processes: [...WRAPPED, [50, 4, 50]], service: 50}],
    ['the server has no parent any more', {processes: [[40, 20, 300]], service: 10}],
    [
      'a parent is younger than its child: its number was given again',
      {
        processes: [
          [10, 4, 400],
          [40, 10, 300],
        ],
        service: 10,
      },
    ],
    [
      'parents are a ring',
      {
        processes: [
          [40, 41, 1],
          [41, 40, 1],
        ],
        service: 10,
      },
    ],
    ['a user owns it, also one that the service started', {sddl: BY_BOB, service: 40}],
    ['its owner is not told', {sddl: 'D:', service: 40}],
    ['it denies an administrator a look', {server: DENIED, service: 40}],
  ])('is refused where %s', async (_, setting) => {
    await expect(pipesOf(setting).demand(PIPE, 'docker')).rejects.toMatchObject({exitCode: 3, id: 'PIPE_TAKEN'})
  })

  it.each<[string, string, Setting]>([
    ['that does not exist', 'ENOENT', {server: 0, service: 40}],
    ['that a user may not look at', 'EACCES', {isUser: true, server: DENIED, service: 40}],
  ])('%s is not opened: %s, as its client would get', async (_, code, setting) => {
    for (const service of ['docker', undefined]) {
      await expect(pipesOf(setting).demand(PIPE, service)).rejects.toMatchObject({code, name: 'HttpError'})
    }
  })

  it("of another name is used where its owner is SYSTEM or Administrators, and refused where it is a user's", async () => {
    await pipesOf({}).demand(PIPE, undefined)
    await pipesOf({sddl: 'O:SYD:'}).demand(PIPE, undefined)
    await expect(pipesOf({sddl: BY_BOB}).demand(PIPE, undefined)).rejects.toMatchObject({id: 'PIPE_TAKEN'})
  })

  it('is open, whoever serves it', async () => {
    expect(await pipesOf({}).isOpen(PIPE)).toBe(true)
    expect(await pipesOf({server: DENIED}).isOpen(PIPE)).toBe(true)
    expect(await pipesOf({server: 0}).isOpen(PIPE)).toBe(false)
    const broken = pipesOf({server: new Win32Error('CreateFileW', 231, PIPE)})
    await expect(broken.isOpen(PIPE)).rejects.toMatchObject({code: 231})
  })

  it('is judged before every request, and nothing else is', async () => {
    const sent: string[] = []
    const http = only<Http>('http', {
      request: ({url}) => {
        sent.push(url)
        return Promise.resolve({body: Buffer.alloc(0), headers: {}, status: 200})
      },
    })
    const judged = judgedHttp(http, (pipe) => Promise.reject(new Error(pipe)))
    const request = {deadlineMs: 1, effect: 'read', method: 'GET', url: 'http://x/'} as const
    await expect(judged.request({...request, pipe: PIPE})).rejects.toThrow(PIPE)
    await expect(judged.stream({...request, pipe: PIPE})).rejects.toThrow(PIPE)
    expect(sent).toEqual([])
    await judged.request(request)
    expect(sent).toEqual(['http://x/'])
  })
})

test('review S2-7: a pipe is judged again before a request is tried again', async () => {
  let [isTaken, sent] = [false, 0]
  const request = async (): Promise<never> => {
    sent++
    isTaken = true
    throw new HttpError('http://docker/', 'ECONNRESET', 'socket hang up')
  }
  const {machine} = standIn()
  const breaking = {...machine, clock: handClock(), http: {...machine.http, request}}
  const {http} = retryingMachine(breaking, {onRetry: () => {}, signal: new AbortController().signal})
  const judged = judgedHttp(http, (pipe) => pipesOf({service: isTaken ? 0 : 40}).demand(pipe, 'docker'))
  const asked = {deadlineMs: 1, effect: 'read', method: 'GET', pipe: PIPE, url: 'http://docker/'} as const
  await expect(judged.request(asked)).rejects.toMatchObject({id: 'PIPE_TAKEN'})
  expect(sent).toBe(1)
})

test("review S2-7: setup and reset send nothing to a user's program on Docker's pipe", async () => {
  const host = await healthyNode()
  host.edit(({os}) => os.listening.push('npipe/docker_engine'))
  const asked: string[] = []
  const wrap = <T extends {readonly http: Http}>(machine: T): T => ({
    ...machine,
    http: {
      ...machine.http,
      request: (request: Parameters<Http['request']>[0]) => {
        if (request.pipe !== undefined) asked.push(request.url)
        return machine.http.request(request)
      },
    },
  })
  const {result} = await setupOn(host.dir, {}, {wrap})
  expect([result.exitCode, result.error?.id]).toEqual([3, 'PIPE_TAKEN'])
  await resetOn(host.dir, {given: {yes: true}, wrap})
  expect(asked).toEqual([])
})
