import {describe, expect, it} from 'vitest'
import {originOf, sessionOf} from '../../../src/host/launcher/detect.js'
import type {RunningProcess} from '../../../src/machine/win32.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'

interface Process extends RunningProcess {
  /** When it began. */
  readonly at?: number
}

const OWN = 50

const callsOf = (processes: readonly Process[]) => ({
  currentProcessId: async () => OWN,
  processes: async () => processes.map(({id, name, parentId}) => ({id, name, parentId})),
  processStartedAt: async (id: number) => processes.find((one) => one.id === id)?.at,
})

/** A chain of programs, from this process upwards, each of which began before the one below it. */
const chain = (...names: readonly string[]): Process[] =>
  ['node.exe', ...names].map((name, index) => ({at: 1000 - index, id: OWN - index, name, parentId: OWN - index - 1}))

describe('a launcher', () => {
  it.each([
    ['cloudbase-init', ['powershell.exe', 'python.exe', 'cloudbase-init.exe', 'OpenStackService.exe', 'services.exe']],
    ['ec2launch', ['powershell.exe', 'EC2Launch.exe', 'EC2LaunchService.exe', 'services.exe']],
    ['ec2launch', ['cmd.exe', 'EC2LaunchService.exe', 'services.exe']],
    ['ssm', ['powershell.exe', 'ssm-document-worker.exe', 'ssm-agent-worker.exe', 'amazon-ssm-agent.exe']],
    ['ssm', ['powershell.exe', 'ssm-agent-worker.exe']],
    ['ssm', ['powershell.exe', 'amazon-ssm-agent.exe', 'services.exe']],
    ['azure-cse', ['powershell.exe', 'cmd.exe', 'CustomScriptHandler.exe', 'cmd.exe', 'WindowsAzureGuestAgent.exe']],
    ['none', ['powershell.exe', 'explorer.exe']],
    ['none', []],
  ])('%s is detected by %s', async (launcher, names) => {
    expect(await originOf(callsOf(chain(...names)))).toEqual({launcher})
  })

  it('is not assumed in a console of Session Manager, which runs below the agent', async () => {
    const names = ['powershell.exe', 'ssm-session-worker.exe', 'ssm-agent-worker.exe', 'amazon-ssm-agent.exe']
    expect(await originOf(callsOf(chain(...names)))).toEqual({launcher: 'none'})
  })

  it('is the nearest of several', async () => {
    expect(await originOf(callsOf(chain('CustomScriptHandler.exe', 'cloudbase-init.exe')))).toEqual({
      launcher: 'azure-cse',
    })
  })

  it.each([
    ['began after its child: its number was reused', {at: 5000}],
    ['has no known start', {}],
  ])('is not assumed where the parent %s', async (_, started) => {
    const processes = [
      {at: 1000, id: OWN, name: 'node.exe', parentId: 7},
      {...started, id: 7, name: 'cloudbase-init.exe', parentId: 1},
    ]
    expect(await originOf(callsOf(processes))).toEqual({launcher: 'none'})
  })

  it('is looked for once in a ring of processes', async () => {
    const processes = [
      {at: 1000, id: OWN, name: 'node.exe', parentId: 7},
      {at: 1000, id: 7, name: 'cmd.exe', parentId: OWN},
    ]
    expect(await originOf(callsOf(processes))).toEqual({launcher: 'none'})
  })

  it('is not found where this process is not listed', async () => {
    expect(await originOf(callsOf([]))).toEqual({launcher: 'none'})
  })
})

describe('a remote session', () => {
  it.each([
    ['ssh', ['powershell.exe', 'sshd.exe', 'sshd.exe', 'services.exe']],
    ['ssh', ['cmd.exe', 'sshd-session.exe', 'sshd.exe']],
    ['winrm', ['wsmprovhost.exe', 'svchost.exe']],
    ['winrm', ['cmd.exe', 'winrshost.exe', 'svchost.exe']],
    [undefined, ['cmd.exe', 'explorer.exe']],
    [undefined, ['powershell.exe', 'cloudbase-init.exe', 'sshd.exe']],
  ])('%s is detected by %s', async (session, names) => {
    expect(await sessionOf(callsOf(chain(...names)))).toBe(session)
  })
})

it('a simulated host is started by what its machine.json names', async () => {
  const host = await HostFolder.fresh(({os}) => (os.startedBy = ['powershell.exe', 'EC2LaunchService.exe']))
  const {win32} = await openSimulator({dir: host.dir, profile: 'ws2019'})
  expect(await originOf(win32)).toEqual({launcher: 'ec2launch'})
  const plain = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2019'})
  expect(await originOf(plain.win32)).toEqual({launcher: 'none'})
})
