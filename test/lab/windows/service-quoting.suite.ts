// Whatever we register as a service gets its arguments one by one as they were meant, behind shawl and without it.
import assert from 'node:assert/strict'
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {describe, test} from 'node:test'
import {openAssets} from '../../../src/machine/real/assets.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {type EchoService, openEchoService, type ServiceKind} from '../quoting/echo-service.js'
import {assertArrived, commandLineToArgv, withoutConsole} from '../quoting/echo.js'
import {inLanes, LANES, runShare} from '../quoting/lanes.js'
import {NOTABLE, SEED, VECTORS} from '../quoting/vectors.js'
import {SKIP_PROCESSES} from './service-rig.js'
import {APP, IS_WINE, PROGRAMS} from './windows-host.js'

const machine = openRealMachine()

describe('what we register', {skip: SKIP_PROCESSES}, () => {
  for (const kind of ['shawl', 'kubelet'] as const) {
    // Each takes a start and a stop of a service.
    const count = VECTORS / 4
    test(`${kind}: ${count} vectors through the service manager (seed ${SEED})`, async (context) => {
      const lanes = await openLanes(kind)
      context.after(() => Promise.all(lanes.map((lane) => lane.close())))
      const judge = async (lane: number, extra: readonly string[], value: string): Promise<void> => {
        const {args, echo} = await lanes[lane]!.echo(extra, value)
        assertArrived(echo, args)
        // Wine 10 does not read the value Environment of a service's key.
        assert.deepEqual(echo.environment, IS_WINE ? [] : [`ECHO_VALUE=${value}`])
      }
      for (const extra of NOTABLE) await judge(0, extra, extra[0] ?? '')
      await inLanes(LANES, (lane) =>
        runShare(lane, Math.ceil(count / LANES), (extra, value) => judge(lane, extra, value)),
      )
    })
  }

  test('shawl add loses quotes and empty arguments: we register by ourselves', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'k8s-win-shawl-'))
    const [name, shawl] = ['k8s-win-lab-shawl-add', path.join(folder, 'shawl.exe')]
    try {
      await writeFile(shawl, await openAssets(APP).shawl())
      const added = await machine.run(shawl, ['add', '--name', name, '--', 'C:\\x.exe', '', 'c"d'], {
        deadlineMs: 60_000,
        effect: 'change',
      })
      assert.equal(added.exitCode, 0)
      const config = await machine.win32.queryServiceConfig(name)
      const argv = commandLineToArgv(config!.imagePath)
      assert.deepEqual(argv.slice(argv.indexOf('--') + 1), ['C:\\x.exe', 'cd'])
    } finally {
      await machine.win32.deleteService(name)
      await rm(folder, {force: true, maxRetries: 10, recursive: true})
    }
  })
})

async function openLanes(kind: ServiceKind): Promise<EchoService[]> {
  const echo = await readFile(path.join(PROGRAMS!, 'argv-service.exe'))
  const shawl = await openAssets(APP).shawl()
  // shawl ends its child with Ctrl-C, which takes a console.
  const program = kind === 'shawl' ? echo : withoutConsole(echo)
  const open = (lane: number) => openEchoService({kind, machine, program, shawl, suffix: String(lane)})
  return Promise.all(Array.from({length: LANES}, (_, lane) => open(lane)))
}
