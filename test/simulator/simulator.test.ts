// The whole simulated machine: kept in its folder, saved at every change, and written down in the transcript.
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {ProgramNotFoundError} from '../../src/machine/run.js'
import {Win32Error} from '../../src/machine/win32.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {TranscriptLine} from '../../src/simulator/transcript.js'
import type {World} from '../../src/simulator/world.js'

let dir: string
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'k8s-win-sim-'))))
afterEach(() => rm(dir, {force: true, recursive: true}))

const open = () => openSimulator({dir, profile: 'ws2019'})
const saved = async (): Promise<World> => JSON.parse(await readFile(join(dir, 'machine.json'), 'utf8')) as World
const transcript = async (): Promise<TranscriptLine[]> =>
  (await readFile(join(dir, 'transcript.ndjson'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TranscriptLine)

describe('a simulated host', () => {
  it('is as promised when it is fresh', async () => {
    const machine = await open()
    const world = await saved()
    expect(world.os).toMatchObject({build: 17_763, computerName: 'WIN-1', profile: 'ws2019'})
    expect(Object.keys(world.services)).toEqual(expect.arrayContaining(['docker', 'hns']))
    expect(world.docker).toMatchObject({images: [], mode: 'windows', running: true})
    const kubeconfig = (await machine.files.read('c:\\k\\kubeconfig'))?.toString()
    expect(kubeconfig).toContain('server: https://10.0.0.10:6443')
    expect(await machine.win32.computerName()).toBe('WIN-1')
    expect((await machine.files.status('C:\\Windows\\System32\\netsh.exe'))?.kind).toBe('file')
  })

  it('is the same host when it is opened again', async () => {
    const machine = await open()
    await machine.win32.setRegistryValue('HKLM', 'SOFTWARE\\X', 'y', {data: 1, type: 'REG_DWORD'})
    const again = await open()
    expect(await again.win32.registryValue('HKLM', 'software\\x', 'Y')).toEqual({data: 1, type: 'REG_DWORD'})
  })

  it('never goes back in time', async () => {
    const later = Date.now() + 86_400_000
    await open()
    const world = await saved()
    world.os.time = later
    await writeFile(join(dir, 'machine.json'), JSON.stringify(world))
    expect((await open()).clock.now()).toBe(later)
  })

  it('opens a machine.json of version 0.1.0, which has no containerd', async () => {
    await open()
    const {containerd, ...older} = await saved()
    await writeFile(join(dir, 'machine.json'), JSON.stringify(older))
    const machine = await open()
    await machine.win32.setRegistryValue('HKLM', 'SOFTWARE\\X', 'y', {data: 1, type: 'REG_DWORD'})
    expect((await saved()).containerd).toEqual(containerd)
  })

  it('without its machine.json is refused, and its kubeconfig stays', async () => {
    const machine = await open()
    await machine.files.write('C:\\k\\kubeconfig', 'mine')
    await rm(join(dir, 'machine.json'))
    await expect(open()).rejects.toThrow('--simulate-dir')
    expect((await machine.files.read('C:\\k\\kubeconfig'))?.toString()).toBe('mine')
  })

  it.each([
    ['{', /machine\.json is not a simulated host: .*JSON/],
    ['{"os": 1}', /machine\.json is not a simulated host: \$schema: missing, expected a string/],
  ])('says what is wrong with a machine.json of %s', async (text, message) => {
    await writeFile(join(dir, 'machine.json'), text)
    await expect(open()).rejects.toThrow(message)
  })

  it('refuses an unknown profile, and a folder of another one', async () => {
    await expect(openSimulator({dir, profile: 'ws2099'})).rejects.toThrow('there is no simulated host ws2099')
    await open()
    const world = await saved()
    world.os.profile = 'ws2022'
    await writeFile(join(dir, 'machine.json'), JSON.stringify(world))
    await expect(open()).rejects.toThrow('holds a simulated ws2022, not ws2019')
  })

  it('lends a mutex to one at a time', async () => {
    const [one, two] = [await open(), await open()]
    const release = await one.win32.takeMutex('Global\\k8s-win')
    expect(release).toBeDefined()
    expect(await two.win32.takeMutex('Global\\k8s-win')).toBeUndefined()
    await release?.()
    expect(await two.win32.takeMutex('Global\\k8s-win')).toBeDefined()
  })

  it('takes the mutex of a process that has died', async () => {
    const machine = await open()
    await machine.win32.takeMutex('Global\\k8s-win')
    await writeFile(join(dir, 'global-k8s-win.lock'), '999999999 gone')
    expect(await machine.win32.takeMutex('Global\\k8s-win')).toBeDefined()
  })

  it('knows which ports are taken', async () => {
    const {net} = await open()
    expect(await net.isPortFree('tcp', 10_250)).toBe(true)
    expect(await net.isPortFree('tcp', 3389)).toBe(false)
    expect(await net.canConnect('10.0.0.10', 6443, 1000)).toBe(true)
    expect(await net.canConnect('10.0.0.99', 6443, 1000)).toBe(false)
    expect(await net.canConnect('127.0.0.1', 10_248, 1000)).toBe(false)
  })
})

describe('the transcript', () => {
  it('has a line for every program, request and call, and for how it ended', async () => {
    const machine = await open()
    await machine.win32.queryServiceStatus('docker')
    await machine.win32.setRegistryValue('HKLM', 'SOFTWARE\\X', 'y', {data: 'https://me:secret@proxy', type: 'REG_SZ'})
    await expect(machine.win32.startService('none')).rejects.toBeInstanceOf(Win32Error)
    const options = {deadlineMs: 1000, effect: 'read'} as const
    await expect(machine.run('C:\\none.exe', ['a b'], options)).rejects.toBeInstanceOf(ProgramNotFoundError)
    const pipe = '\\\\.\\pipe\\docker_engine'
    await machine.http.request({deadlineMs: 1000, effect: 'read', method: 'GET', pipe, url: 'http://docker/version'})
    const get = {deadlineMs: 1000, effect: 'read', method: 'GET', url: 'https://nowhere.example/?token=abc'} as const
    await expect(machine.http.request(get)).rejects.toThrow('ENOTFOUND')
    await machine.files.write('C:\\file', 'files are not in it')

    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string
    expect(await transcript()).toEqual([
      {at, via: 'win32', what: 'queryServiceStatus', args: ['docker'], kind: 'read', outcome: 'ok'},
      {
        at,
        via: 'win32',
        what: 'setRegistryValue',
        args: ['HKLM', 'SOFTWARE\\X', 'y', {data: 'https://***@proxy', type: 'REG_SZ'}],
        kind: 'change',
        outcome: 'ok',
      },
      {at, via: 'win32', what: 'startService', args: ['none'], kind: 'change', outcome: 'error 1060'},
      {
        at,
        via: 'run',
        what: 'C:\\none.exe',
        args: ['a b'],
        kind: 'read',
        outcome: 'error the program C:\\none.exe does not exist',
      },
      {at, via: 'http', what: 'GET http://docker/version', args: [pipe], kind: 'read', outcome: '200'},
      {
        at,
        via: 'http',
        what: 'GET https://nowhere.example/?token=***',
        args: [],
        connection: 1,
        kind: 'read',
        outcome: 'error ENOTFOUND',
      },
    ])
  })
})
