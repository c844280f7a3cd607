// Whose the port of a daemon's health is. Any account can listen on it while the daemon does not.
import {describe, expect, it, test} from 'vitest'
import {DAEMON} from '../../src/config/daemons.js'
import {openLocalServers} from '../../src/host/local-server.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {type PortOwner, type RunningProcess, Win32Error} from '../../src/machine/win32.js'
import {serve} from '../machine/real/servers.js'

const {http} = openRealMachine({environment: {}})
const SERVICE = 10
/** The service, its daemon below it, an administrator's "k8s-win run" with a daemon below it, and a user's program. */
const PROCESSES = [
  [SERVICE, 4, 100],
  [20, SERVICE, 200],
  [30, 4, 100],
  [31, 30, 200],
  [66, 65, 300],
] as const

interface Setting {
  /** At the first and at the second look; the last one stays. */
  readonly looks?: readonly (readonly PortOwner[] | Win32Error)[]
  readonly lock?: object
  /** When the processes began, where Windows says so. */
  readonly startedAt?: (id: number) => number | undefined
}

const on = (address: string, processId: number): PortOwner => ({address, processId})
const OURS = [on('0.0.0.0', 20)]

function serversOf({lock, looks = [OURS], startedAt}: Setting) {
  let look = 0
  const began = startedAt ?? ((id) => PROCESSES.find(([one]) => one === id)?.[2])
  return openLocalServers({
    baseDir: String.raw`C:\k`,
    files: {read: async () => (lock ? Buffer.from(JSON.stringify(lock)) : undefined)},
    http,
    win32: {
      async portOwners() {
        const owners = looks[Math.min(look++, looks.length - 1)] ?? []
        if (owners instanceof Win32Error) throw owners
        return [...owners]
      },
      processes: async () => PROCESSES.map(([id, parentId]): RunningProcess => ({id, name: 'x.exe', parentId})),
      processStartedAt: async (id) => began(id),
      queryServiceStatus: async () => ({processId: SERVICE, serviceExitCode: 0, state: 'running', win32ExitCode: 0}),
    },
  })
}

/** What is said, and how often the server was asked. */
async function healthWhere(setting: Setting, status = 200) {
  let asked = 0
  const url = await serve((_, response) => {
    asked++
    response.writeHead(status).end('ok')
  })
  const health = await serversOf(setting).health(DAEMON.kubeproxy, url, {deadlineMs: 5000})
  return {asked, id: 'error' in health ? health.error.id : '', said: health.said, state: health.state}
}

describe('review A3-1: the health of a daemon', () => {
  it.each<[string, Setting]>([
    ['is below the service', {}],
    ['is the service', {looks: [[on('127.0.0.1', SERVICE)]]}],
    ['listens on all addresses of both families', {looks: [[on('::', 20)]]}],
    ['is the nearer one', {looks: [[on('0.0.0.0', 66), on('127.0.0.1', 20)]]}],
    ['is below "k8s-win run"', {lock: {processId: 30, since: '1970-01-01T00:00:01Z'}, looks: [[on('0.0.0.0', 31)]]}],
  ])('is what it answers where who listens %s', async (_, setting) => {
    expect(await healthWhere(setting)).toMatchObject({asked: 1, state: 'ok'})
    expect(await healthWhere(setting, 500)).toMatchObject({id: 'DAEMON_UNWELL', state: 'sick'})
  })

  it.each<[string, number, Setting]>([
    ['listens on all addresses', 0, {looks: [[on('0.0.0.0', 66)]]}],
    ['is nearer than the daemon', 0, {looks: [[on('0.0.0.0', 20), on('127.0.0.1', 66)]]}],
    ['shares the address with the daemon', 0, {looks: [[on('127.0.0.1', 20), on('127.0.0.1', 66)]]}],
    ['came during the request', 1, {looks: [OURS, [...OURS, on('127.0.0.1', 66)]]}],
    ['is below no run that holds the lock', 0, {looks: [[on('0.0.0.0', 31)]]}],
    [
      'has the number of a run that has ended',
      0,
      {lock: {processId: 30, since: '1970-01-01T00:00:00Z'}, looks: [[on('0.0.0.0', 31)]]},
    ],
  ])('is not asked where another program %s', async (_, asked, setting) => {
    expect(await healthWhere(setting)).toMatchObject({
      asked,
      id: 'PORT_TAKEN',
      said: expect.stringContaining('x.exe (PID ') as string,
      state: 'taken',
    })
  })

  it.each<[string, Setting]>([
    ['who listens has ended', {looks: [[on('0.0.0.0', 77)]]}],
    ['Windows denies when who listens began', {startedAt: () => undefined}],
    ['Windows denies when its parent began', {startedAt: (id) => (id === 20 ? 200 : undefined)}],
    ['Windows denies the table', {looks: [new Win32Error('GetExtendedTcpTable', 5, 'tcp')]}],
    ['nothing is seen to listen', {looks: [[]]}],
    ['who listens has gone during the request', {looks: [OURS, []]}],
  ])('is unknown where %s', async (_, setting) => {
    expect(await healthWhere(setting)).toMatchObject({id: 'PORT_OWNER_UNKNOWN', state: 'unknown'})
  })

  it('is refused where nothing listens, and nothing accepts a connection', async () => {
    const health = serversOf({looks: [[]]}).health(DAEMON.kubeproxy, 'http://127.0.0.1:1/healthz', {deadlineMs: 5000})
    expect(await health).toMatchObject({error: {id: 'DAEMON_UNWELL'}, state: 'refused'})
  })
})

test('a redirect is not followed: k8s-win would request any address as SYSTEM', async () => {
  let asked = 0
  const other = await serve((_, response) => {
    asked++
    response.end('ok')
  })
  const url = await serve((_, response) => response.writeHead(302, {location: other}).end())
  expect(await serversOf({}).health(DAEMON.kubelet, url, {deadlineMs: 5000})).toMatchObject({state: 'sick'})
  expect(asked).toBe(0)
})

test('a response of a megabyte is not read', async () => {
  const url = await serve((_, response) => response.end(Buffer.alloc(2 ** 20)))
  const said = expect.stringContaining('TOO_LARGE') as string
  expect(await serversOf({}).health(DAEMON.kubelet, url, {deadlineMs: 5000})).toMatchObject({said, state: 'refused'})
})
