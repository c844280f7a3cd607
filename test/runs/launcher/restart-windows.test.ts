// The restart that k8s-win begins itself: when, and what is said where Windows refuses it.
import {expect, it} from 'vitest'
import {LAUNCHERS} from '../../../src/config/launchers.js'
import type {Machine} from '../../../src/machine/machine.js'
import {Win32Error} from '../../../src/machine/win32.js'
import {restartsWindowsUnder, restartWindows} from '../../../src/runs/launcher/restart-windows.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {HostFolder} from '../../steps/host-folder.js'

async function machineWith(restart: () => Promise<void>): Promise<{calls: unknown[][]; machine: Machine}> {
  const calls: unknown[][] = []
  const machine = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2019'})
  const restarting = (...args: unknown[]): Promise<void> => {
    calls.push(args)
    return restart()
  }
  return {calls, machine: {...machine, win32: {...machine.win32, restartWindows: restarting}}}
}

it('is begun only where the document announces it', async () => {
  const {calls, machine} = await machineWith(async () => {})
  expect(await restartWindows(machine, {command: 'setup'})).toBeUndefined()
  expect(calls).toEqual([])
  expect(await restartWindows(machine, {command: 'setup', restartsIn: 30})).toBeUndefined()
  expect(calls).toEqual([[expect.stringMatching(/^k8s-win setup requires a restart/), 30]])
})

it.each([
  [5, /may not restart it \(Windows error 5\)/],
  [1190, /another shutdown is scheduled \(Windows error 1190\)/],
  [1300, /may not restart it \(Windows error 1300\)/],
  [1314, /InitiateShutdownW was refused \(Windows error 1314\)/],
])('that Windows refuses with %i is reported', async (code, says) => {
  const {machine} = await machineWith(() => Promise.reject(new Win32Error('InitiateShutdownW', code, 'this computer')))
  expect(await restartWindows(machine, {command: 'setup', restartsIn: 30})).toMatch(says)
})

it('that Windows refuses: a run that continues by itself needs only the restart', async () => {
  const {machine} = await machineWith(() => Promise.reject(new Win32Error('InitiateShutdownW', 5, 'this computer')))
  const document = {command: 'setup', restartsIn: 30} as const
  expect(await restartWindows(machine, document)).toMatch(/Restart it, then run the same command again\.$/)
  const continued = {...document, continuesAfterRestart: true} as const
  expect(await restartWindows(machine, continued)).toMatch(/Restart it: the run continues after it\.$/)
})

it('has a deadline', async () => {
  const {machine} = await machineWith(() => new Promise(() => {}))
  expect(await restartWindows(machine, {command: 'setup', restartsIn: 30})).toMatch(/did not respond/)
})

it('is never of k8s-win under launchers that restart Windows and run the command again', () => {
  expect(LAUNCHERS.filter(restartsWindowsUnder).sort()).toEqual(['azure-cse', 'ec2launch-v1', 'none'])
})
