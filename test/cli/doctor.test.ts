// doctor as people start it: exit codes, what is on stdout, PowerShell's style, a wrong command line.
import {describe, expect, it} from 'vitest'
import type {DoctorDocument} from '../../src/output/doctor/doctor-document.js'
import {SimulatedHost} from '../setup/simulated-host.js'
import {k8sWin} from './program.js'

const on = ({dir}: SimulatedHost): NodeJS.ProcessEnv => ({K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: dir})

describe('k8s-win doctor', () => {
  it('exit 0 on a fresh host, one document on stdout, nothing changed', async () => {
    const host = await SimulatedHost.make()
    const before = host.state
    const {code, stderr, stdout} = await k8sWin(['doctor', '-BaseDir', 'c:\\k', '--json'], on(host))
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect((JSON.parse(stdout) as DoctorDocument).node).toBe('absent')
    expect(host.state).toEqual(before)
  })

  it('exit 3 where a check fails; as lines of JSON, the document last', async () => {
    const host = await SimulatedHost.make((world) => (world.docker.mode = 'linux'))
    const {code, stdout} = await k8sWin(['doctor', '--output', 'ndjson'], on(host))
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as {result?: DoctorDocument; type: string})
    expect(code).toBe(3)
    expect(lines.at(-1)).toMatchObject({result: {exitCode: 3, verdict: 'failed'}, type: 'run-finished'})
    expect(lines.slice(0, -1).every(({type}) => type === 'check')).toBe(true)
  })

  it('exit 2 for a wrong command line, with what was meant', async () => {
    const {code, stderr, stdout} = await k8sWin(['doctor', '--kubeconifg', 'x'])
    expect({code, stdout}).toEqual({code: 2, stdout: ''})
    expect(stderr).toContain('--kubeconfig')
  })
})
