import {beforeAll, describe, expect, it} from 'vitest'
import {statusRows} from '../../../src/output/status/status-rows.js'
import {OWN_PROGRAM} from '../../../src/simulator/index.js'
import {runFrom} from '../../fixtures/assets.js'
import {setupOn} from '../../setup/in-process.js'
import {healthyNode, statusOn} from '../../status/status-on.js'
import {HostFolder} from '../../steps/host-folder.js'

const HEALTH = String.raw`k\k8s-win\health.json`
const STORED = String.raw`k\k8s-win\node.yaml`

let node: HostFolder
/** With its service. */
let installed: HostFolder
beforeAll(async () => {
  node = await healthyNode()
  installed = HostFolder.empty()
  await setupOn(installed.dir, {}, {assets: runFrom(OWN_PROGRAM)})
})

/** `age`: of what the service has written. */
function watched(age: number): HostFolder {
  const host = node.copy()
  const text = host.read(STORED).replace(/^watch:\n(?: .*\n)*/m, '')
  host.put(STORED, `${text.trimEnd()}\nwatch:\n  enabled: true\n`)
  host.put(HEALTH, reportOf(host, age))
  return host
}

function reportOf({world}: HostFolder, age: number): string {
  const at = new Date(world.os.time - age).toISOString()
  const document = {at, problems: [], repairs: [], schemaVersion: 1, since: at, simulated: true, verdict: 'healthy'}
  return JSON.stringify(document)
}

describe('status of a node that is watched', () => {
  it.each([
    [0, false],
    [15 * 60_000, true],
  ])('has what the service wrote %i ms ago', async (age, stale) => {
    const {document} = await statusOn(watched(age).dir)
    expect(document.watch).toMatchObject({stale, verdict: 'healthy'})
  })

  it.each([
    ['reports', 0, false],
    ['hangs', 12 * 60_000, true],
    ['has a report of a later time', -24 * 60 * 60_000, true],
    ['was just started', 12 * 60_000, false, 0],
    ['has no report', undefined, true],
    ['was just started, and has no report', undefined, false, 0],
  ])('is degraded where the service runs and reports nothing: %s', async (_, age, isSilent, ranMs = 3_600_000) => {
    const host = installed.copy()
    host.edit(({os, services}) => (services['k8s-win']!.startedAt = os.time - ranMs))
    if (age !== undefined) host.put(HEALTH, reportOf(host, age))
    const {document} = await statusOn(host.dir, {assets: runFrom(OWN_PROGRAM)})
    expect(document.problems.map(({id}) => id)).toEqual(isSilent ? ['WATCH_SILENT'] : [])
    expect(document.exitCode).toBe(isSilent ? 8 : 0)
    const row = statusRows(document).find(({label}) => label === 'watch')
    expect(row?.mark).toBe(isSilent ? 'bad' : age === undefined || age > 0 ? 'not-checked' : 'good')
  })

  it.each(['', '{"verdict":"healthy"}'])('has none where health.json is damaged: %s', async (text) => {
    const host = watched(0)
    host.put(HEALTH, text)
    expect((await statusOn(host.dir)).document.watch).toBeNull()
  })

  it('says nothing of it where the node is not watched', async () => {
    const host = watched(0)
    host.put(STORED, host.read(STORED).replace('enabled: true', 'enabled: false'))
    expect((await statusOn(host.dir)).document).not.toHaveProperty('watch')
  })
})
