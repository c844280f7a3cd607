// shawl.exe: its options, who starts the program again, and its log.
import {describe, expect, it} from 'vitest'

import {codeOf, FLANNELD_ARGS, makeNode, serviceConfig, withNetwork} from '../node.js'
import {reboot} from '../../../src/simulator/windows/restart.js'
import {parseShawlRun} from '../../../src/simulator/daemons/shawl-options.js'

const BROKEN = ['--iface=10.0.0.99', ...FLANNELD_ARGS.filter((arg) => !arg.startsWith('--iface'))]

describe('options', () => {
  it.each([
    [['--log-rotate', 'daily'], "Found argument '--log-rotate' which wasn't expected"],
    [['--restart', '--no-restart'], 'cannot be used with'],
    [['--stop-timeout', 'soon'], 'Invalid value "soon" for \'--stop-timeout <ms>\''],
    // shawl has it, but k8s-win does not use it: it is not simulated.
    [['--env', 'A=b'], "Found argument '--env' which wasn't expected"],
  ])('%j are refused: 1053', async (shawlArgs, text) => {
    expect(parseShawlRun(['run', ...shawlArgs, '--', 'x.exe']).error).toContain(text)
    const node = await makeNode({shawlArgs})
    await node.win32.startService('kubelet')
    await node.stage.elapse(5000)
    expect(await codeOf(node.win32.startService('flanneld'))).toBe(1053)
  })

  it('take everything after -- as the command', () => {
    const run = parseShawlRun(['run', '--name', 'x', '--restart-if-not=0,3', '--', 'p.exe', '--name', 'y'])
    expect(run).toMatchObject({command: ['p.exe', '--name', 'y'], name: 'x', restartIfNot: [0, 3]})
  })
})

it('starts its program again a second after it ended, and is Running all the while', async () => {
  const node = await makeNode({flanneldArgs: BROKEN})
  await withNetwork(node)
  expect(node.stage.world.services['flanneld']?.restarts).toBeGreaterThan(10)
  expect(await node.win32.queryServiceStatus('flanneld')).toMatchObject({state: 'running'})
  const log = await node.stage.text(String.raw`C:\k\logs\flanneld\shawl_for_flanneld_rCURRENT.log`)
  expect(log).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[INFO\] Launching command$/m)
  expect(log).toMatch(/\[DEBUG\] stderr: "E\d{4} .*Failed to find interface to use/)
})

it('with --no-restart it reports the code as its own, and the failure flag decides what comes next, when Windows was started again', async () => {
  const node = await makeNode({flanneldArgs: BROKEN, shawlArgs: ['--no-restart']})
  await withNetwork(node)
  expect(await node.win32.queryServiceStatus('flanneld')).toMatchObject({
    serviceExitCode: 1,
    state: 'stopped',
    win32ExitCode: 1066,
  })
  const config = await node.win32.queryServiceConfig('flanneld')
  const failureActions = {resetAfterSeconds: 86_400, restartDelaysMs: [2000]}
  if (config) await node.win32.changeService('flanneld', {...config, failureActions})
  await node.win32.startService('flanneld')
  await node.stage.elapse(10_000)
  expect(node.stage.world.services['flanneld']?.restarts).toBe(0)
  if (config) await node.win32.changeService('flanneld', {...config, failureActions, failureFlag: true})
  await node.win32.startService('flanneld')
  await node.stage.elapse(10_000)
  expect(node.stage.world.services['flanneld']?.restarts).toBe(0)
  reboot(node.stage.world)
  await node.stage.elapse(20_000)
  expect(node.stage.world.services['flanneld']?.restarts).toBeGreaterThan(1)
})

it('logs beside itself without --log-dir, and stops where its program is missing', async () => {
  const node = await makeNode()
  await node.win32.createService('x', serviceConfig(String.raw`"C:\k\shawl.exe" run --name x -- C:\k\none.exe`))
  await node.win32.startService('x')
  await node.stage.elapse(2000)
  expect(await node.win32.queryServiceStatus('x')).toMatchObject({state: 'stopped', win32ExitCode: 2})
  expect(await node.stage.text(String.raw`C:\k\shawl_for_x_rCURRENT.log`)).toContain('Unable to launch command')
})

it('stopped between two runs of its program it dies, and its failure actions start it again', async () => {
  const node = await makeNode({flanneldArgs: BROKEN})
  await withNetwork(node)
  const config = await node.win32.queryServiceConfig('flanneld')
  if (!config) throw new Error('there is no service flanneld')
  const failureActions = {resetAfterSeconds: 86_400, restartDelaysMs: [2000]}
  await node.win32.changeService('flanneld', {...config, failureActions})
  const entry = () => node.stage.world.services['flanneld']
  while (!entry()?.stage.startsWith('waiting')) await node.stage.elapse(100)
  await node.win32.stopService('flanneld')
  await node.stage.elapse(1100)
  expect(await node.win32.queryServiceStatus('flanneld')).toMatchObject({state: 'stopped', win32ExitCode: 1067})
  expect(await codeOf(node.win32.stopService('flanneld'))).toBe(1062)
  await node.stage.elapse(2500)
  expect(await node.win32.queryServiceStatus('flanneld')).toMatchObject({state: 'running'})
})
