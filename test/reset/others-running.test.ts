// What neither the kubelet nor k8s-win started in the node's own containerd ends with it, so somebody has to agree.
import {expect, test} from 'vitest'
import type {Machine} from '../../src/machine/machine.js'
import type {HostFolder} from '../steps/host-folder.js'
import {resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'

const {copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const PLAIN = {yes: false}

/** The kubelet's pods need no consent. */
function withOthers(isRunning: boolean): HostFolder {
  const host = copy()
  host.edit(({cluster, containerd}) => {
    cluster.pods = (cluster.pods ?? []).map((pod) => ({...pod, owner: {kind: 'DaemonSet', name: 'agent'}}))
    const [pod] = containerd.sandboxes
    const state = isRunning ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY'
    if (pod) containerd.sandboxes.push({...pod, containers: [], id: 'ab'.repeat(32), labels: {}, name: 'test', state})
    containerd.containers = ['default', 'k8s.io'].map((namespace) => ({id: 'web', image: '', isRunning, namespace}))
  })
  return host
}

const NAMES = [
  'the pod web/test',
  'the container web in the namespace default',
  'the container web in the namespace k8s.io',
]

test('review P3-2: running pods of crictl and containers of ctr end with --yes only, and --drain does not help', async () => {
  for (const given of [PLAIN, {...PLAIN, drain: true}]) {
    const {result} = await resetOn(withOthers(true).dir, {given})
    expect(result).toMatchObject({error: {id: 'RESET_ENDS_PODS'}, exitCode: 2, steps: []})
    for (const name of NAMES) expect(result.error?.cause).toContain(name)
    expect(result.error?.fix).not.toContain('--drain')
  }

  expect((await resetOn(withOthers(true).dir, {given: {yes: true}})).result.exitCode).toBe(0)
})

test('review P3-2: the question and the dry run name them', async () => {
  let lines: readonly string[] = []
  await resetOn(withOthers(true).dir, {ask: async (question) => ((lines = question.lines), false), given: {}})
  const {result} = await resetOn(withOthers(true).dir, {given: {'dry-run': true}})
  const changes = result.steps.flatMap((step) => step.changes)
  for (const name of NAMES) {
    expect(lines.slice(0, 2).join('\n')).toContain(name)
    expect(changes.join('\n')).toContain(name)
  }
})

test('review P3-2: those that have ended need no consent', async () => {
  expect((await resetOn(withOthers(false).dir, {given: PLAIN})).result.exitCode).toBe(0)
})

test('review P3-2: where ctr does not list them, something may run', async () => {
  const refusal = {durationMs: 0, exitCode: 1, stderr: 'ctr: no', stdout: ''}
  const wrap = (machine: Machine): Machine => ({
    ...machine,
    run: async (program, args, options) =>
      args.join(' ').endsWith('tasks ls') ? refusal : machine.run(program, args, options),
  })
  const {result} = await resetOn(withOthers(false).dir, {given: PLAIN, wrap})
  expect(result).toMatchObject({error: {id: 'RESET_ENDS_PODS'}, exitCode: 2})
})
