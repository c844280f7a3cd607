// crictl.exe and ctr.exe, which every command runs on a node with containerd: in a folder of another account they are not run.
import {describe, expect, test} from 'vitest'
import {COLLECTORS} from '../../src/bundle/table.js'
import {runCollectors} from '../../src/bundle/collector.js'
import {openHost} from '../../src/host/host.js'
import {type Effect, interceptMachine} from '../../src/machine/intercept.js'
import {assets} from '../fixtures/assets.js'
import {applySteps, changed, type ContainerdHost, openContainerdHost} from '../health/containerd-host.js'

const BOB = 'S-1-5-21-1-2-3-1001'
const BIN = String.raw`c:\k\containerd\bin`
const CRICTL = `${BIN}\\crictl.exe`
const OWNED = `O:${BOB}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`

async function installed(): Promise<ContainerdHost> {
  const made = await openContainerdHost()
  // Where nothing serves its pipe, neither program is started.
  await applySteps(made, 'base-dir', 'containerd-binaries', 'containerd-config', 'containerd-service')
  return made
}

/** What was run of the node's own programs, by a question to containerd and by a bundle. */
async function runBy({config, context, machine}: ContainerdHost): Promise<readonly string[]> {
  const effects: Effect[] = []
  const watched = interceptMachine(machine, (effect, perform) => {
    effects.push(effect)
    return perform()
  })
  const {baseDir, dockerPipe, runtime} = config
  const host = openHost(watched, {assets, baseDir, dockerPipe, runtime})
  await host.containerd.version().catch(() => {})
  await host.containerd.removeProbes().catch(() => {})
  const ofContainerd = COLLECTORS.filter(({id}) => id.startsWith('containerd/'))
  const {signal} = context
  const more = {config, environment: {}, host, logBytes: 0, machine: watched, register: () => {}, signal}
  await runCollectors(ofContainerd, more)
  return effects.filter(({via}) => via === 'run').map(({what}) => what.toLowerCase())
}

describe('programs of containerd', () => {
  test('are run where only administrators can change them', async () => {
    expect(new Set(await runBy(await installed()))).toEqual(new Set([CRICTL, `${BIN}\\ctr.exe`]))
  })

  test.each([
    ['are in a folder that a user made', BIN, OWNED],
    ['are below a folder that a user made', String.raw`c:\k`, OWNED],
    [
      'are in a folder that a user may add libraries to',
      BIN,
      `O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;0x6;;;BU)`,
    ],
  ])('are not run where they %s', async (_, path, sddl) => {
    const open = await changed(await installed(), ({security}) => (security[path] = sddl))
    expect(await runBy(open)).toEqual([])
  })

  test('are not run where a user can write them', async () => {
    const sddl = `O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FW;;;${BOB})`
    const open = await changed(await installed(), ({security}) => (security[CRICTL] = sddl))
    expect(await runBy(open)).toEqual([`${BIN}\\ctr.exe`])
  })
})
