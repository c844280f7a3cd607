// What watch shows, on a node that was set up with it: the commands find it, and reset removes it.
import {beforeAll, describe, expect, it} from 'vitest'
import {createRedactor} from '../../../src/output/text/redact.js'
import {hostOptions, openHost} from '../../../src/host/host.js'
import {openReporters} from '../../../src/runs/watch/reporters.js'
import {OWN_PROGRAM} from '../../../src/simulator/profiles/drive.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {allowEverything} from '../../fakes/administrator.js'
import {runFrom} from '../../fixtures/assets.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {resetOn} from '../../reset/reset-run.js'
import {setupOn} from '../../setup/in-process.js'
import {statusOn} from '../../status/status-on.js'
import {HostFolder} from '../../steps/host-folder.js'
import {logs} from '../run-logs.js'
import {state, stopped} from './state.js'

const METRICS = String.raw`Windows\k8s-win.prom`
const HEALTH = String.raw`k\k8s-win\health.json`
const GIVEN = {'metrics-file': `C:\\${METRICS}`, publish: 'false', watch: 'true'}
const assets = runFrom(OWN_PROGRAM)

let node: HostFolder
beforeAll(async () => {
  node = await HostFolder.fresh((world) => {
    allowEverything(world)
    // As on a real Windows.
    world.security[String.raw`c:\windows`] = 'O:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)'
  })
  const {result} = await setupOn(node.dir, GIVEN, {assets})
  expect(result.error).toBeUndefined()
  const machine = await openSimulator({dir: node.dir, profile: 'ws2019'})
  const config = setupConfig(GIVEN)
  const reporters = openReporters({baseDir: config.baseDir, machine, redact: createRedactor().redact})
  const at = machine.clock.now()
  const repairs = [{at, outcome: 'repaired', what: 'flanneld'} as const]
  const seen = state({at, since: at, troubles: [stopped('kubeproxy')], verdict: 'degraded'})
  const all = reporters({config, host: openHost(machine, hostOptions(assets, config))})
  for (const one of all) await one.report(seen)
  for (const one of all) await one.report({...seen, repairs})
}, 180_000)

describe('what watch shows', () => {
  it('is in status and in logs', async () => {
    expect((await statusOn(node.dir)).document).toMatchObject({
      watch: {problems: [{id: 'SERVICE_DOWN'}], repairs: [{what: 'flanneld'}], stale: false, verdict: 'degraded'},
    })
    const {entries} = await logs(node, {}, ['k8s-win'])
    const own = entries.filter(({file}) => file.includes('watch-service-'))
    expect(own.map(({level}) => level)).toEqual(['warning', 'info'])
  })

  it('is in the file of metrics', () => {
    expect(node.read(METRICS)).toContain('k8s_win_repairs_total{what="flanneld"} 1\n')
  })

  it('is gone after reset', async () => {
    const host = node.copy()
    const {result, warnings} = await resetOn(host.dir, {assets, given: {purge: true}})
    expect([result.exitCode, warnings]).toEqual([0, []])
    expect([METRICS, HEALTH, String.raw`k\logs`].filter((path) => host.has(path))).toEqual([])
  })
})
