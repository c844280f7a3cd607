// The real shawl.exe runs a stand-in of flanneld as a real service, registered with the ImagePath that the product makes.
import assert from 'node:assert/strict'
import {copyFile, readFile, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {after, before, describe, test} from 'node:test'
import {flanneldService} from '../../../src/components/flanneld.js'
import {underShawl} from '../../../src/components/shawl.js'
import {DAEMON, logsOf} from '../../../src/config/daemons.js'
import {layoutOf} from '../../../src/config/layout.js'
import {FLANNELD} from '../../../src/config/model.js'
import {lastLogLines} from '../../../src/host/services/daemon-log.js'
import {openAssets} from '../../../src/machine/real/assets.js'
import {exampleNode} from '../../components/example.js'
import {isAlive, openServiceRig, type ServiceRig, SKIP_PROCESSES, SKIP_SERVICES} from './service-rig.js'
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

/** As the watch and its repair: the one starts the other hidden, as src/machine/real/run.ts does. */
const PARENT_AND_CHILD = `
const [fs, path, name] = [require('fs'), require('path'), process.argv[2]]
const note = (word) => fs.writeFileSync(path.join(__dirname, name + ' ' + word), String(process.pid))
process.on('SIGINT', () => {
  note('interrupted')
  setTimeout(() => process.exit(0), 500)
})
setInterval(() => {}, 1000)
note('started')
const child = [__filename, 'child']
if (name === 'parent') require('child_process').spawn(process.execPath, child, {stdio: 'ignore', windowsHide: true})
`

test(
  'the Ctrl-C of shawl reaches its program, not what that has started hidden, which ends with it',
  {skip: SKIP_SERVICES},
  async () => {
    const rig = await openServiceRig()
    const noted = (name: string) => readFile(path.join(rig.folder, name), 'utf8').catch(() => undefined)
    const [name, script] = ['k8s-win-lab-console', path.join(rig.folder, 'parent and child.cjs')]
    const shawl = path.join(rig.folder, 'shawl.exe')
    await rig.machine.files.write(shawl, await openAssets(APP).shawl())
    await writeFile(script, PARENT_AND_CHILD)
    const command = [...underShawl({logs: rig.folder, shawl}, name, [0]), process.execPath, script, 'parent']
    await rig.services.ensure(rig.spec(name, command), rig.signal)
    await rig.services.start(name)
    const child = Number(await rig.until('the child', () => noted('child started')))
    await rig.services.stop(name, rig.signal)
    // libuv has its children in a job that ends with it (src/win/process.c, uv__init_global_job).
    await rig.until('the end of the child', async () => (isAlive(child) ? undefined : true))
    const seen = [await noted('parent interrupted'), await noted('child interrupted')].map(Boolean)
    await rig.close()
    assert.deepEqual(seen, [true, false])
  },
)
