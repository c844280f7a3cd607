// kube-log-runner.exe: the daemon behind it, its file, and what ends with what.
import {expect, it} from 'vitest'

import {runProgram} from '../../../src/simulator/programs/index.js'
import {codeOf, KUBELET_ARGS, makeNode, type TestNode, withFlags} from '../node.js'
import {install} from '../stage.js'

const BIN = String.raw`C:\k\kubernetes\node\bin`
const LOG = String.raw`C:\k\logs\kubelet\kubelet.log`
const LINES = {'log-dir': undefined, logtostderr: undefined}

/** A kubelet of a release that logs to standard error by default, where it is not told otherwise. */
async function makeRunner(flags: readonly string[] = [`-log-file=${LOG}`], release = 'v1.23.17'): Promise<TestNode> {
  const kubelet = [`${BIN}\\kubelet.exe`, ...withFlags(KUBELET_ARGS, LINES)]
  const node = await makeNode({kubelet: [`"${BIN}\\kube-log-runner.exe"`, ...flags, ...kubelet].join(' '), release})
  await install(node.stage, `${BIN}\\kube-log-runner.exe`, 'kube-log-runner', release)
  return node
}

it('runs the daemon, which is the service, and keeps what it prints', async () => {
  const node = await makeRunner()
  await node.win32.startService('kubelet')
  await node.stage.elapse(6000)
  expect(await node.stage.text(LOG)).toContain('Successfully registered node')
  const {process} = node.stage.world.services['kubelet'] ?? {}
  expect(process).toMatchObject({childProgram: `${BIN}\\kubelet.exe`, program: `${BIN}\\kube-log-runner.exe`})
})

it.each([['kubelet.exe'], ['kube-log-runner.exe']])('a kill of %s ends both, and both start again', async (image) => {
  const node = await makeRunner()
  const config = await node.win32.queryServiceConfig('kubelet')
  const failureActions = {resetAfterSeconds: 86_400, restartDelaysMs: [2000]}
  if (config) await node.win32.changeService('kubelet', {...config, failureActions})
  await node.win32.startService('kubelet')
  await node.stage.elapse(6000)
  const taskkill = String.raw`C:\Windows\System32\taskkill.exe`
  await runProgram(node.stage, taskkill, ['/F', '/IM', image], {deadlineMs: 1000, effect: 'change'})
  expect(node.stage.world.services['kubelet']).toMatchObject({exitCode: 1067, state: 'stopped'})
  await node.stage.elapse(10_000)
  expect(node.stage.world.services['kubelet']).toMatchObject({restarts: 1, state: 'running'})
})

it.each<[string, string[], string]>([
  ['an unknown flag', ['-log-folder=x'], 'v1.36.4'],
  ['rotation before 1.34', [`-log-file=${LOG}`, '-log-file-size=50Mi'], 'v1.33.13'],
  ['a folder that is not there', [String.raw`-log-file=C:\none\x.log`], 'v1.36.4'],
])('ends with %s', async (_, flags, release) => {
  const node = await makeRunner(flags, release)
  expect(await codeOf(node.win32.startService('kubelet'))).toBe(1053)
})

it('ends where there is no program, or one that ends', async () => {
  const node = await makeRunner()
  await node.stage.files.remove(`${BIN}\\kubelet.exe`)
  expect(await codeOf(node.win32.startService('kubelet'))).toBe(1053)
  await install(node.stage, `${BIN}\\kubelet.exe`, 'kubelet', 'v1.36.4')
  expect(await codeOf(node.win32.startService('kubelet'))).toBe(1053)
})
