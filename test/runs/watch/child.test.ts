// The child processes of watch: how they are started and stopped, and what is believed of what they print.
import {describe, expect, test} from 'vitest'
import {noNode} from '../../../src/errors/logs.js'
import type {Machine} from '../../../src/machine/machine.js'
import type {Run} from '../../../src/machine/run.js'
import {yieldingSignal} from '../../../src/runs/run-lock.js'
import {openChildren, outcomeIn, writeOutcome} from '../../../src/runs/watch/child.js'
import type {ChildOutcome} from '../../../src/runs/watch/model.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {assets} from '../../fixtures/assets.js'
import {HostFolder} from '../../steps/host-folder.js'

const NEVER = new AbortController().signal
const BASE = String.raw`C:\a folder`
const PROGRAM = {command: [String.raw`C:\a folder\k8s-win\bin\k8s-win.exe`]}
const DONE = {changed: 2, exitCode: 0, problems: []}

async function machineWith(run: Run): Promise<Machine> {
  const simulated = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2019'})
  return {...simulated, run}
}

const childrenOn = async (run: Run) =>
  openChildren({assets: {...assets, program: PROGRAM}, baseDir: BASE, machine: await machineWith(run)})

const printing =
  (stdout: string, exitCode = 0, stderr = ''): Run =>
  async () => ({durationMs: 1, exitCode, stderr, stdout})

describe('started', () => {
  test('with the program itself, the base directory and the steps, by arguments', async () => {
    const calls: unknown[] = []
    const {inspect, repair} = await childrenOn(async (program, args, {effect}) => {
      calls.push([program, args, effect])
      return {durationMs: 1, exitCode: 0, stderr: '', stdout: JSON.stringify(DONE)}
    })
    expect(await repair(['kubelet-service', 'source-vip'], NEVER)).toEqual(DONE)
    expect(await inspect(NEVER)).toEqual(DONE)
    const [program] = PROGRAM.command
    expect(calls).toEqual([
      [program, ['run-watch', `--base-dir=${BASE}`, '--repair=kubelet-service,source-vip'], 'change'],
      [program, ['run-watch', `--base-dir=${BASE}`, '--inspect'], 'read'],
    ])
  })
})

describe('stopped', () => {
  test('a repair is asked to yield, and its outcome counts', async () => {
    const stop = new AbortController()
    const machine = await machineWith(async () => {
      const yielding = yieldingSignal(machine, NEVER)
      stop.abort(new Error('stopped'))
      await new Promise<void>((resolve) => {
        yielding.signal.addEventListener('abort', () => resolve())
        void machine.clock.sleep(5000).catch(() => {})
      })
      return {durationMs: 1, exitCode: 130, stderr: '', stdout: JSON.stringify({...DONE, exitCode: 130})}
    })
    const {repair} = openChildren({assets, baseDir: BASE, machine})
    expect(await repair(['kubelet-service'], stop.signal)).toMatchObject({exitCode: 130})
  })

  test('a repair that does not stop is killed, and an inspection at once', async () => {
    const stop = new AbortController()
    const machine = await machineWith(async (_, __, {signal}) => {
      stop.abort(new Error('stopped'))
      return new Promise((_resolve, reject) => {
        const end = (): void => reject(signal?.reason as Error)
        if (signal?.aborted) end()
        signal?.addEventListener('abort', end)
      })
    })
    const began = machine.clock.now()
    const {inspect, repair} = openChildren({assets, baseDir: BASE, machine})
    await expect(repair(['kubelet-service'], stop.signal)).rejects.toThrow('stopped')
    expect(machine.clock.now() - began).toBe(10_000)
    await expect(inspect(stop.signal)).rejects.toThrow('stopped')
  })
})

describe('its document', () => {
  const error = {fix: 'f', id: 'SERVICE_DOWN', message: 'm'}
  const PROBLEM = {component: 'kubelet', error}

  test('comes back as it was written', async () => {
    const text = await writeOutcome(Promise.reject(noNode({baseDir: BASE})))
    expect(outcomeIn(text)).toMatchObject({changed: 0, exitCode: 9, problems: [{reason: 'NoNode'}]})
    const [problem] = outcomeIn(text)?.problems ?? []
    expect([problem?.component, problem?.error.id]).toEqual(['node', 'NO_NODE'])
    expect(problem?.error.fix).toBe(noNode({baseDir: BASE}).fix)
  })

  test('a bug stays one', async () => {
    await expect(writeOutcome(Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug')
  })

  test.each(['', 'null', '[]', '{', '"text"', '{"changed":"1","exitCode":0}', '{"changed":1,"exitCode":null}'])(
    '%j is none: the child has failed',
    async (stdout) => {
      const {repair} = await childrenOn(printing(stdout, 1, 'a bug'))
      const outcome: ChildOutcome = await repair(['kubelet-service'], NEVER)
      expect(outcome).toMatchObject({changed: 0, exitCode: 5, problems: [{error: {id: 'WATCH_PROCESS_FAILED'}}]})
    },
  )

  test('a program that does not start has failed', async () => {
    const {inspect} = await childrenOn(() => Promise.reject(new Error('no such file')))
    expect((await inspect(NEVER)).problems[0]?.error).toMatchObject({
      id: 'WATCH_PROCESS_FAILED',
      message: expect.stringContaining('no such file') as string,
    })
  })

  test('texts are cut, and problems with other names are left out', () => {
    const hostile = [
      {...PROBLEM, error: {...error, message: 'x'.repeat(100_000)}},
      {...PROBLEM, error: {...error, id: 'a b'}},
      {...PROBLEM, component: '__proto__'},
      {...PROBLEM, error: {...error, fix: 7}},
      'text',
      null,
    ]
    const found = outcomeIn(JSON.stringify({...DONE, problems: hostile}))?.problems ?? []
    expect(found.map(({error}) => error.message.length)).toEqual([2001])
    const many = Array.from({length: 1000}, () => PROBLEM)
    expect(outcomeIn(JSON.stringify({...DONE, problems: many}))?.problems).toHaveLength(50)
    expect(outcomeIn(JSON.stringify({...DONE, problems: 'many'}))).toEqual(DONE)
  })
})
