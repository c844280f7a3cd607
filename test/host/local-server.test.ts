// Whose the port of a daemon's health is. Any account can listen on it while the daemon does not.
import {describe, expect, it, onTestFinished, test} from 'vitest'
import {DAEMON} from '../../src/config/daemons.js'
import {openLocalServers} from '../../src/host/local-server.js'
import {openRealMachine} from '../../src/machine/real/index.js'
import {type PortOwner, type RunningProcess, Win32Error} from '../../src/machine/win32.js'
import {serve} from '../machine/real/servers.js'
import {type AddressInfo, createServer} from 'node:net'

const {http, net} = openRealMachine({environment: {HTTP_PROXY: 'http://127.0.0.1:1'}})
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
  /** Who listens, whenever that is looked at. */
  readonly listeners?: readonly PortOwner[] | Win32Error
  readonly lock?: object
  /** Who has accepted the connection; undefined where Windows does not show it. */
  readonly peer?: number | Win32Error | undefined
  /** When the processes began, where Windows says so. */
  readonly startedAt?: (id: number) => number | undefined
}

const DAEMON_PROCESS = 20
const on = (address: string, processId: number): PortOwner => ({address, processId})

function partsOf(setting: Setting) {
  const {listeners = [on('0.0.0.0', DAEMON_PROCESS)], lock, startedAt} = setting
  const peer = 'peer' in setting ? setting.peer : DAEMON_PROCESS
  const began = startedAt ?? ((id: number) => PROCESSES.find(([one]) => one === id)?.[2])
  return {
    baseDir: String.raw`C:\k`,
    files: {read: async () => (lock ? Buffer.from(JSON.stringify(lock)) : undefined)},
    http,
    net,
    win32: {
      async peerProcess() {
        if (peer instanceof Win32Error) throw peer
        return peer
      },
      async portOwners() {
        if (listeners instanceof Win32Error) throw listeners
        return [...listeners]
      },
      processes: async () => PROCESSES.map(([id, parentId]): RunningProcess => ({id, name: 'x.exe', parentId})),
      processStartedAt: async (id: number) => began(id),
      queryServiceStatus: async () =>
        ({processId: SERVICE, serviceExitCode: 0, state: 'running', win32ExitCode: 0}) as const,
    },
  }
}

const serversOf = (setting: Setting) => openLocalServers(partsOf(setting))

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
    ['is the service', {peer: SERVICE}],
    ['is below "k8s-win run"', {lock: {processId: 30, since: '1970-01-01T00:00:01Z'}, peer: 31}],
    ['is it for this connection, whoever listens too', {listeners: [on('127.0.0.1', 66)]}],
  ])('is what it answers where who has accepted the connection %s', async (_, setting) => {
    expect(await healthWhere(setting)).toMatchObject({asked: 1, state: 'ok'})
    expect(await healthWhere(setting, 500)).toMatchObject({id: 'DAEMON_UNWELL', state: 'sick'})
  })

  it.each<[string, Setting]>([
    ['is another program, though the daemon listens before and after', {peer: 66}],
    ['is below no run that holds the lock', {peer: 31}],
    ['has the number of a run that has ended', {lock: {processId: 30, since: '1970-01-01T00:00:00Z'}, peer: 31}],
  ])('is not asked where who has accepted the connection %s', async (_, setting) => {
    expect(await healthWhere(setting)).toMatchObject({
      asked: 0,
      id: 'PORT_TAKEN',
      said: expect.stringContaining('x.exe (PID ') as string,
      state: 'taken',
    })
  })

  it.each<[string, Setting]>([
    ['who has accepted the connection has ended', {peer: 77}],
    ['Windows denies when it began', {startedAt: () => undefined}],
    ['Windows denies when its parent began', {startedAt: (id) => (id === DAEMON_PROCESS ? 200 : undefined)}],
    ['Windows denies the table', {peer: new Win32Error('GetExtendedTcpTable', 5, 'tcp')}],
    ['Windows does not show it', {peer: undefined}],
  ])('is unknown and not asked where %s', async (_, setting) => {
    expect(await healthWhere(setting)).toMatchObject({asked: 0, id: 'PORT_OWNER_UNKNOWN', state: 'unknown'})
  })
})

const REFUSING = 'http://127.0.0.1:1/healthz'

describe('review A3-1: a connection that is refused', () => {
  it.each<[string, string, Setting]>([
    ['refused', 'DAEMON_UNWELL', {listeners: []}],
    ['refused', 'DAEMON_UNWELL', {listeners: [on('10.0.0.5', 66)]}],
    ['taken', 'PORT_TAKEN', {listeners: [on('127.0.0.1', 66), on('0.0.0.0', DAEMON_PROCESS)]}],
    ['taken', 'PORT_TAKEN', {listeners: [on('127.0.0.1', DAEMON_PROCESS), on('127.0.0.1', 66)]}],
    ['taken', 'PORT_TAKEN', {listeners: [on('::', 66)]}],
    ['unknown', 'PORT_OWNER_UNKNOWN', {}],
    ['unknown', 'PORT_OWNER_UNKNOWN', {listeners: [on('0.0.0.0', 77)]}],
    ['unknown', 'PORT_OWNER_UNKNOWN', {listeners: new Win32Error('GetExtendedTcpTable', 5, 'tcp')}],
  ])('is %s (%s) by who listens: %j', async (state, id, setting) => {
    const health = serversOf(setting).health(DAEMON.kubeproxy, REFUSING, {deadlineMs: 5000})
    expect(await health).toMatchObject({error: {id}, state})
  })
})

test('review A3-1: a connection that ends before its peer is seen says nothing about the daemon', async () => {
  const server = createServer((socket) => socket.resetAndDestroy())
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
  onTestFinished(() => void server.close())
  const {win32, ...parts} = partsOf({})
  const peerProcess = () => new Promise<never>(() => {})
  const servers = openLocalServers({...parts, win32: {...win32, peerProcess}})
  const health = servers.health(DAEMON.kubeproxy, `http://127.0.0.1:${port}/healthz`, {deadlineMs: 2000})
  expect(await health).toMatchObject({state: 'unknown'})
})

test('review A3-1: a port is open where the daemon accepts a connection', async () => {
  const {port} = new URL(await serve((_, response) => response.end()))
  const accepts = async (setting: Setting, at = Number(port)) => {
    const accepted = await serversOf(setting).accepts(DAEMON.kubelet, {address: '127.0.0.1', port: at}, 5000)
    return typeof accepted === 'object' ? accepted.state : accepted
  }
  expect(await accepts({})).toBe(true)
  expect(await accepts({peer: 66})).toBe('taken')
  expect(await accepts({peer: undefined})).toBe('unknown')
  expect(await accepts({listeners: []}, 1)).toBe(false)
  expect(await accepts({listeners: [on('127.0.0.1', 66)]}, 1)).toBe('taken')
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
