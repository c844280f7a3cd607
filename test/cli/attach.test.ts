// attach as people call it: a run of another process, its events and its exit code.
import {afterAll, describe, expect, test} from 'vitest'
import {takeLock} from '../../src/runs/run-lock.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {DiskHost} from '../steps/host-folder.js'
import {k8sWinProcess} from './program.js'

const LOG = String.raw`C:\k\logs\k8s-win\setup-1.log`
const host = DiskHost.empty()
afterAll(() => host.discard())

const attach = (...args: readonly string[]) =>
  k8sWinProcess(['attach', ...args], {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: String(host.dir)})

describe('k8s-win attach', () => {
  test('ends as the run of another process', async () => {
    const {files, ...machine} = await openSimulator({dir: host.dir, profile: 'ws2019'})
    const lock = await takeLock({files, ...machine}, String.raw`C:\k\k8s-win\lock.json`)
    await lock.sign({command: 'k8s-win setup', log: LOG, processId: process.pid, user: 'me'})
    await files.makeDirectory(String.raw`C:\k\logs\k8s-win`)
    const result = {checks: [], command: 'setup', exitCode: 6, outcome: 'failed', recap: {}, steps: []}
    const events = [
      {level: 'info', message: 'hello from the run', type: 'log'},
      {result, type: 'run-finished'},
    ]
    const attached = attach('--json')
    for (const event of events)
      await files.append(`${LOG}.trace`, `2026-11-15T00:00:00.000Z event ${JSON.stringify(event)}\n`)
    const {code, stderr, stdout} = await attached
    await lock.release()
    expect({code, document: JSON.parse(stdout) as unknown}).toEqual({code: 6, document: result})
    expect(stderr).toContain('hello from the run')
  })

  test('to nothing: 9', async () => {
    const {code, stderr} = await attach()
    expect({code, stderr}).toEqual({code: 9, stderr: expect.stringContaining('NOTHING_RUNS') as string})
  })
})
