// What scenarios are held to besides agreeing can fail: a plan that is not kept, a second run that names the wrong one.
import {describe, expect, test} from 'vitest'
import type {RunResultDocument, StepResult} from '../../src/pipeline/run/events.js'
import {brokenPromises} from './plan-kept.js'
import {secondRun} from './second-run.js'

const step = (id: StepResult['id'], state: StepResult['state'], changes: string[]): StepResult => ({
  changes,
  durationMs: 0,
  id,
  state,
  title: '',
})
const document = (rest: Partial<RunResultDocument>): RunResultDocument => ({
  changesPending: false,
  checks: [],
  command: 'setup',
  durationMs: 0,
  exitCode: 0,
  finishedAt: '',
  outcome: 'done',
  recap: {changed: 0, failed: 0, ok: 0, skipped: 0},
  schemaVersion: 1,
  simulated: true,
  startedAt: '',
  steps: [],
  ...rest,
})

describe('a plan', () => {
  const plan = document({
    steps: [
      step('net-conf', 'would-change', [
        'create the folder C:\\etc',
        'write C:\\etc\\kube-flannel\\net-conf.json\n@@ -0,0 +1 @@\n+{}',
      ]),
      step('kubelet-service', 'would-change', [
        'equivalent to: sc.exe create kubelet binPath= x',
        'equivalent to: reg.exe add HKLM\\SYSTEM\\CurrentControlSet\\Services\\kubelet /v Environment /f',
        'equivalent to: sc.exe start kubelet',
      ]),
    ],
  })
  const netConf = ['create C:\\etc', 'write C:\\etc\\kube-flannel\\net-conf.json']
  const deed = (kubelet: string[], files = netConf): RunResultDocument =>
    document({steps: [step('net-conf', 'changed', files), step('kubelet-service', 'changed', kubelet)]})

  test('is kept', () => {
    expect(brokenPromises(plan, deed(['create the service kubelet', 'start the service kubelet']))).toEqual([])
  })

  test('is not: something was left, something was added, or another step did it', () => {
    expect(brokenPromises(plan, deed(['create the service kubelet']))).toEqual([
      'not done: kubelet-service: start kubelet',
    ])
    const more = ['create the service kubelet', 'start the service kubelet', 'change the service flanneld']
    expect(brokenPromises(plan, deed(more, [...netConf, 'write C:\\etc\\hosts']))).toEqual([
      'not planned: net-conf: file C:\\etc\\hosts',
      'not planned: kubelet-service: change flanneld',
    ])
    expect(brokenPromises(plan, deed([...more.slice(0, 2), ...netConf], []))).toHaveLength(4)
  })
})

describe('a second run', () => {
  const told = (cause: string, id = 'LOCK_HELD') => ({
    code: 11,
    log: '',
    result: document({error: {cause, command: null, fix: '', id, message: '', url: ''}}),
  })
  const cause =
    'The lock is held by process 42 of LAB\\root, which began at 2021-10-01T00:00:00.000Z: k8s-win setup --json --base-dir C:\\k'

  test('names who is at work, and with what', () => {
    expect(secondRun(told(cause), 42, ['--base-dir', 'C:\\k'])).toEqual(told(cause))
    expect(() => secondRun(told(cause), 4, ['--base-dir', 'C:\\k'])).toThrow(/Process 4 runs/)
    expect(() => secondRun(told(cause), 42, ['--base-dir', 'D:\\k'])).toThrow(/but: The lock is held by process 42/)
    expect(() => secondRun(told(cause, 'BUG'), 42, [])).toThrow('The second run ended with BUG.')
  })
})
