// What people do with the folder of a simulated host: edit machine.json, and pass admin.kubeconfig to commands.
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {othersWho, TO_READ} from '../../src/host/security/access.js'
import {openEnvironment} from '../../src/host/environment.js'
import {HttpError} from '../../src/machine/http.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'

let dir: string
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'k8s-win-edited-'))))
afterEach(() => rm(dir, {force: true, recursive: true}))
const open = () => openSimulator({dir, profile: 'ws2025'})

test('review P3-5: a variable that was added to the environment in machine.json is stored, and stays', async () => {
  await open()
  const path = join(dir, 'machine.json')
  const world = JSON.parse(await readFile(path, 'utf8')) as World
  world.environment['HTTPS_PROXY'] = 'http://proxy.example:3128'
  await writeFile(path, JSON.stringify(world))
  const {win32} = await open()
  expect(await openEnvironment(win32).get('HTTPS_PROXY')).toBe('http://proxy.example:3128')
  await win32.broadcastEnvironmentChange()
  const kept = JSON.parse(await readFile(path, 'utf8')) as World
  expect(kept.environment['HTTPS_PROXY']).toBe('http://proxy.example:3128')
})

test("review P3-5: the simulator's own kubeconfig is no file of users of the simulated host", async () => {
  const {win32} = await open()
  expect(othersWho(await win32.securityOf(join(dir, 'admin.kubeconfig')), TO_READ, [])).toEqual([])
})

test('review P3-5: DNS is not asked for an address', async () => {
  const {http} = await open()
  const ask = (url: string) => http.request({deadlineMs: 60_000, effect: 'read', method: 'GET', url})
  const codeOf = async (url: string): Promise<unknown> =>
    ask(url).then(
      () => 'an answer',
      (error: unknown) => error instanceof HttpError && [error.code, error.message.includes('getaddrinfo')],
    )
  expect(await codeOf('https://10.0.0.1:6443/livez')).toEqual(['ETIMEDOUT', false])
  expect(await codeOf('https://api.example:6443/livez')).toEqual(['ENOTFOUND', true])
})
