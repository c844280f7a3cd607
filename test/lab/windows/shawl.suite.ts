// The real shawl.exe runs a stand-in of flanneld as a real service, registered with the ImagePath that the product makes.
import assert from 'node:assert/strict'
import {copyFile, readFile, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {flanneldService} from '../../../src/components/flanneld.js'
import {DAEMON, logsOf} from '../../../src/config/daemons.js'
import {layoutOf} from '../../../src/config/layout.js'
import {FLANNELD} from '../../../src/config/model.js'
import {lastLogLines} from '../../../src/host/services/daemon-log.js'
import {openAssets} from '../../../src/machine/real/assets.js'
import {exampleNode} from '../../components/example.js'
import {openServiceRig, type ServiceRig, SKIP_PROCESSES} from './service-rig.js'
import {APP, IS_WINE, PROGRAMS} from './windows-host.js'

const TASKKILL = 'C:\\Windows\\System32\\taskkill.exe'
const STARTED = /\[DEBUG\] stderr: "stand-in started"$/m
const LOG = `shawl_for_${FLANNELD}_rCURRENT.log`

describe('shawl', {skip: SKIP_PROCESSES}, () => {
  let rig: ServiceRig
  before(async () => {
    rig = await openServiceRig()
    if ((await rig.services.status(FLANNELD)) !== undefined) throw new Error('this host has a flanneld of its own')
    rig.claim(FLANNELD)
  })
  after(() => rig.close())

  for (const baseDir of ['C:\\k8s-win-lab-k', "C:\\k8s-win lab 'k' ü中"]) {
    describe(`in ${baseDir}`, () => {
      const config = exampleNode({'base-dir': baseDir})
      const spec = flanneldService(config)
      const logs = logsOf(config, DAEMON.flanneld)
      const told = path.join(baseDir, 'told.json')
      let first: number
      before(async () => {
        const {flanneld, shawl} = layoutOf(baseDir)
        await rig.machine.files.makeDirectory(baseDir)
        await rig.machine.files.write(shawl, await openAssets(APP).shawl())
        await copyFile(path.join(PROGRAMS!, 'service.exe'), flanneld)
        await writeFile(`${flanneld}.lab`, `--lab-tell=${told}\n`)
      })
      after(() => rm(baseDir, {force: true, maxRetries: 10, recursive: true}))

      test('runs flanneld with the arguments the product gives', async () => {
        await rig.services.ensure(spec, rig.signal)
        await rig.services.start(FLANNELD)
        const {argv, environment, pid} = await rig.told(told)
        assert.deepEqual(argv, spec.command.slice(spec.command.indexOf('--') + 1))
        // Wine 10 does not read the value Environment of a service's key.
        assert.equal(environment.includes('NODE_NAME=win-1'), !IS_WINE)
        const status = await rig.status(FLANNELD, ({state}) => state === 'running')
        assert.notEqual(status.processId, pid)
        // Its lines come through a pipe: a program that is killed first may never have written one.
        await rig.until('its line in the log', async () =>
          (await lastLogLines(rig.machine.files, logs)).some((line) => STARTED.test(line)) ? true : undefined,
        )
        first = pid
      })

      test('starts it again when it is killed, and stays itself', async () => {
        const before = await rig.services.status(FLANNELD)
        // The new one may get the number of the old one.
        await rm(told)
        const killed = await rig.machine.run(TASKKILL, ['/F', '/PID', String(first)], {
          deadlineMs: 60_000,
          effect: 'change',
        })
        assert.equal(killed.exitCode, 0)
        await rig.told(told)
        assert.deepEqual(await rig.services.status(FLANNELD), before)
      })

      test('stops it with Ctrl-C, within its time', async () => {
        await rig.services.stop(FLANNELD, rig.signal)
        assert.deepEqual(await rig.services.status(FLANNELD), {
          processId: 0,
          serviceExitCode: 0,
          state: 'stopped',
          win32ExitCode: 0,
        })
      })

      test('writes its log where we look for it', async () => {
        assert.deepEqual(await rig.machine.files.list(logs), [LOG])
        const text = await readFile(path.join(logs, LOG), 'utf8')
        for (const line of [
          /\[INFO\] Launching command$/m,
          STARTED,
          /\[INFO\] Command exited with code 1$/m,
          /\[INFO\] Received stop event$/m,
          /\[INFO\] Sending ctrl-C to command$/m,
          /\[INFO\] Command exited after \d+ ms with code 0$/m,
        ]) {
          assert.match(text, line)
        }
        assert.match((await lastLogLines(rig.machine.files, logs)).at(-1)!, /Finished successfully$/)
      })

      test('starts again and again a flanneld that dies at once, and its lines report why', async () => {
        await writeFile(`${layoutOf(baseDir).flanneld}.lab`, `--lab-tell=${told}\n--lab-crash=1\n`)
        const before = await rig.told(told)
        await rig.services.start(FLANNELD)
        const second = await rig.told(told, before.pid)
        await rig.told(told, second.pid)
        assert.equal((await rig.services.status(FLANNELD))?.state, 'running')
        await rig.until('its line and its exit in the log', async () => {
          const found = await lastLogLines(rig.machine.files, logs, 6)
          return [STARTED, /Command exited with code 1$/].every((wanted) => found.some((line) => wanted.test(line)))
            ? true
            : undefined
        })
      })

      test('is deleted while it runs, and nothing of it is left', async () => {
        // It must live: shawl 1.3 may abort where its program is gone, and Wine then shows stop-pending for ever.
        const lives = path.join(baseDir, 'lives.json')
        await writeFile(`${layoutOf(baseDir).flanneld}.lab`, `--lab-tell=${lives}\n`)
        await rig.told(lives)
        await rig.services.remove(FLANNELD, rig.signal)
        assert.equal(await rig.services.status(FLANNELD), undefined)
        // A program that still ran could not be removed.
        await rig.machine.files.remove(layoutOf(baseDir).flanneld)
        await rig.machine.files.remove(layoutOf(baseDir).shawl)
      })
    })
  }
})
