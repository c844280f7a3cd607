// The request to the service: read by its run only, believed only where administrators wrote it, its token read once.
import {expect, it} from 'vitest'
import {openHost} from '../../src/host/host.js'
import {continueRun} from '../../src/runs/detach/continue-run.js'
import {readRequest, removeRequest, writeRequest} from '../../src/runs/detach/request.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {HostFolder} from '../steps/host-folder.js'

const BASE_DIR = String.raw`C:\k`
const REQUEST = {argv: ['--yes'], command: 'setup', environment: {HTTPS_PROXY: 'http://p'}} as const
const TOKEN = 'abcdef.0123456789abcdef'

async function written(token?: string) {
  const host = await HostFolder.fresh()
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
  const opened = openHost(machine, {assets, baseDir: BASE_DIR, dockerPipe: ''})
  await writeRequest(opened, BASE_DIR, REQUEST, token)
  return {host, machine}
}

it('is read as it was written; the token once', async () => {
  const {host, machine} = await written(TOKEN)
  expect(host.world.security[String.raw`c:\k\k8s-win\run-token`]).toMatch(/^O:BAD:PAI/)
  expect(host.read(String.raw`k\k8s-win\run.json`)).not.toContain(TOKEN)
  expect(await readRequest(machine, BASE_DIR)).toEqual({request: REQUEST, token: TOKEN})
  expect(host.has(String.raw`k\k8s-win\run-token`)).toBe(false)
  expect(await readRequest(machine, BASE_DIR)).toEqual({request: {...REQUEST, isResumed: true}, token: undefined})
})

it('leaves no token of an earlier request', async () => {
  const {host, machine} = await written(TOKEN)
  const opened = openHost(machine, {assets, baseDir: BASE_DIR, dockerPipe: ''})
  await writeRequest(opened, BASE_DIR, REQUEST, undefined)
  expect(host.has(String.raw`k\k8s-win\run-token`)).toBe(false)
})

it('where there is none, nothing is run', async () => {
  const {machine} = await written()
  await removeRequest(machine, BASE_DIR)
  const run = continueRun(machine, BASE_DIR, async () => 0)
  await expect(run).rejects.toMatchObject({exitCode: 9, id: 'NO_RUN_REQUESTED'})
})

it.each(['', '{', '[]', '{"schemaVersion":1,"command":"status","argv":[],"environment":{}}', '{"schemaVersion":1}'])(
  'one that k8s-win did not write is refused: %s',
  async (text) => {
    const {host, machine} = await written()
    host.put(String.raw`k\k8s-win\run.json`, text)
    await expect(readRequest(machine, BASE_DIR)).rejects.toMatchObject({id: 'NO_RUN_REQUESTED'})
  },
)

it('one that another account can write is refused', async () => {
  const {host} = await written()
  host.edit((world) => {
    world.security[String.raw`c:\k\k8s-win\run.json`] = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;BU)'
  })
  const machine = await openSimulator({dir: host.dir, profile: 'ws2019'})
  await expect(readRequest(machine, BASE_DIR)).rejects.toMatchObject({id: 'UNTRUSTED_FILE'})
})
