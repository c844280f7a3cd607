// The end of setup: Ready is said only of a node that is healthy; and what status warns of.
import {mkdirSync, truncateSync, writeFileSync} from 'node:fs'
import {dirname} from 'node:path'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {DAEMON} from '../../src/config/daemons.js'
import {FileError} from '../../src/machine/files.js'
import {HttpError} from '../../src/machine/http.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {setupOn} from '../setup/in-process.js'
import {healthyNode, statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'

/** src/host/local-health.ts. */
const STEP_MS = 5000

let node = HostFolder.empty()
beforeAll(async () => {
  node.discard()
  node = await healthyNode()
})
afterAll(() => node.discard())

function copy(): HostFolder {
  const host = node.copy()
  onTestFinished(() => host.discard())
  return host
}

test('review U5: setup ends with 6 and the root cause where every step is in place and the node is not healthy', async () => {
  const host = copy()
  host.edit(({cluster}) => {
    Object.assign(cluster.nodes.find(({name}) => name === 'win-1') ?? {}, {kubeletVersion: 'v1.20.2'})
  })
  const {result} = await setupOn(host.dir)
  expect(result).toMatchObject({error: {id: 'NODE_OF_OTHER_VERSION'}, exitCode: 6})
})

test('what could not be checked at the end is not called healthy: HEALTH_UNKNOWN', async () => {
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, (effect, perform) => {
      const isLogs = effect.what === 'list' && /\\logs\\kubeproxy$/i.test(String(effect.args[0]))
      return isLogs ? Promise.reject(new FileError('list', String(effect.args[0]), 'EBUSY')) : perform()
    })
  const {result} = await setupOn(copy().dir, {}, {wrap})
  expect(result).toMatchObject({error: {id: 'HEALTH_UNKNOWN'}, exitCode: 6})
})

test.each([
  [3, 0, undefined],
  [7, 0, undefined],
  [17, 0, undefined],
  [25, 6, 'HEALTH_UNKNOWN'],
])('a host on which a check takes %s s is given more time at each try: exit code %s', async (seconds, exitCode, id) => {
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async (effect, perform) => {
      const isLogs = effect.what === 'list' && /\\logs\\kubeproxy$/i.test(String(effect.args[0]))
      if (isLogs) await machine.clock.sleep(seconds * 1000)
      return perform()
    })
  const {result} = await setupOn(copy().dir, {}, {wrap})
  expect({exitCode: result.exitCode, id: result.error?.id}).toEqual({exitCode, id})
})

test.each([
  [3, 0],
  [9, 6],
])('a daemon that responds after %s s is given more time at each try: exit code %s', async (seconds, exitCode) => {
  const wrap = (machine: Machine): Machine =>
    interceptMachine(machine, async ({args: [url = ''], deadlineMs = 0, via}, perform) => {
      // The kubelet's own step is patient by itself.
      const isLate = url === DAEMON.kubelet.health() && deadlineMs !== STEP_MS && deadlineMs < seconds * 1000
      if (via === 'http' && isLate) throw new HttpError(url, 'ETIMEDOUT', 'timed out')
      return perform()
    })
  const {result} = await setupOn(copy().dir, {}, {wrap})
  expect(result.exitCode).toBe(exitCode)
})

test('a program of another version than the records name: PROGRAM_OF_OTHER_VERSION', async () => {
  const host = copy()
  const path = String.raw`k\k8s-win\node.yaml`
  host.put(path, host.read(path).replace('1.21.5', '1.22.12'))
  const {document} = await statusOn(host.dir)
  expect(document.problems.map(({id}) => id)).toContain('PROGRAM_OF_OTHER_VERSION')
})

test('node.yaml of another folder: STORED_FOR_OTHER_FOLDER', async () => {
  const host = copy()
  const path = String.raw`k\k8s-win\node.yaml`
  host.put(path, host.read(path).replace(/baseDir:.*/, String.raw`baseDir: D:\other`))
  const {document} = await statusOn(host.dir)
  expect(document.problems[0]).toMatchObject({id: 'STORED_FOR_OTHER_FOLDER'})
})

/** On a disk a host has the time of today, and its release is past its end of life. */
const isOfLogs = (text: string): boolean => !text.includes('upstream support')

test.each([
  [0.9, 'old.log', []],
  [1.1, 'old.log', [/logs\\kubelet holds 1\.1 GB.*Delete the oldest files/]],
  [1.1, 'kubelet.log', [/logs\\kubelet holds 1\.1 GB.*Stop the service, delete kubelet\.log/]],
])('review W6: a log folder of %s GB (%s)', async (size, name, warned) => {
  const host = copy().onDisk()
  onTestFinished(() => host.discard())
  const file = host.file(String.raw`k\logs\kubelet` + `\\${name}`)
  mkdirSync(dirname(file), {recursive: true})
  writeFileSync(file, '')
  truncateSync(file, Math.floor(size * 2 ** 30))
  const {document} = await statusOn(host.dir)
  expect(document).toMatchObject({exitCode: 0, verdict: 'healthy'})
  expect(document.warnings.filter(isOfLogs)).toEqual(warned.map((text) => expect.stringMatching(text) as string))
})

test('review W6: hundreds of small WARNING files do not hide the INFO files of klog', async () => {
  const host = copy().onDisk()
  onTestFinished(() => host.discard())
  const name = (severity: string, second: number): string =>
    String.raw`k\logs\kubelet\kubelet.exe.win-1.SYSTEM.log.${severity}.20260101-${String(second).padStart(6, '0')}.77`
  for (let second = 0; second < 510; second++) host.put(name('WARNING', second), '')
  host.put(name('INFO', 509), '')
  truncateSync(host.file(name('INFO', 509)), Math.floor(1.1 * 2 ** 30))
  const {document} = await statusOn(host.dir)
  expect(document.warnings.filter(isOfLogs)).toEqual([expect.stringMatching(/logs\\kubelet holds 1\.1 GB/)])
})
