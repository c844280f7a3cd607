import {beforeEach, describe, expect, it} from 'vitest'
import {layoutOf} from '../../../src/config/layout.js'
import {hostOptions, openHost} from '../../../src/host/host.js'
import {ADMINISTRATORS_ONLY} from '../../../src/host/security/security.js'
import type {Machine} from '../../../src/machine/machine.js'
import {interceptMachine} from '../../../src/machine/intercept.js'
import {createRedactor} from '../../../src/output/text/redact.js'
import {isRunLog} from '../../../src/pipeline/owned/own-file-names.js'
import type {WatchRepair, WatchState} from '../../../src/runs/watch/model.js'
import {openReporters} from '../../../src/runs/watch/reporters.js'
import {openSimulator} from '../../../src/simulator/simulator.js'
import {assets} from '../../fixtures/assets.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {HostFolder} from '../../steps/host-folder.js'
import {NOW, state, stopped} from './state.js'

const FOLDER = String.raw`C:\metrics`
const METRICS = String.raw`C:\metrics\k8s-win.prom`
const config = {...setupConfig(), metricsFile: METRICS}
const {logs, state: records} = layoutOf(config.baseDir)
const LOGS = `${logs}\\k8s-win`

let machine: Machine
let events: (readonly [string, string, string])[]

beforeEach(async () => {
  const simulated = await openSimulator({dir: HostFolder.empty().dir, profile: 'ws2025'})
  for (const folder of [records, FOLDER]) await simulated.files.makeDirectory(folder, {security: ADMINISTRATORS_ONLY})
  // As setup leaves it.
  await simulated.files.write(METRICS, '')
  events = []
  machine = interceptMachine(simulated, ({args, what}, perform) => {
    if (what === 'reportEvent') events.push(args as unknown as [string, string, string])
    return perform()
  })
})

function open(redactor = createRedactor()) {
  const reporters = openReporters({baseDir: config.baseDir, machine, redact: redactor.redact})
  const node = {config, host: openHost(machine, hostOptions(assets, config))}
  let all = reporters(node)
  return {
    again: () => void (all = reporters(node)),
    report: async (parts: Partial<WatchState> = {}) => {
      await Promise.all(all.map((one) => one.report(state(parts))))
    },
  }
}

const REPAIRED: WatchRepair = {at: NOW, outcome: 'repaired', what: 'flanneld'}
const FAILED: WatchRepair = {at: NOW + 1, outcome: 'failed', what: 'flanneld', why: 'it does not start'}
const GAVE_UP: WatchRepair = {at: NOW + 2, outcome: 'gave up', what: 'flanneld', why: 'it does not start'}

const metrics = async () => String(await machine.files.read(METRICS))
const samples = async () => (await metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('the metrics file', () => {
  it('has every component, the repairs and the time of the check, as windows_exporter wants it', async () => {
    const {report} = open()
    await report()
    await report({repairs: [REPAIRED, FAILED, GAVE_UP], troubles: [stopped('flanneld')], verdict: 'gave-up'})
    expect(await samples()).toEqual([
      'k8s_win_healthy{component="flanneld"} 0',
      'k8s_win_healthy{component="kubelet"} 1',
      'k8s_win_healthy{component="kubeproxy"} 1',
      'k8s_win_healthy{component="network"} 1',
      'k8s_win_repairs_total{what="flanneld"} 2',
      'k8s_win_repairs_total{what="kubelet"} 0',
      'k8s_win_repairs_total{what="kubeproxy"} 0',
      'k8s_win_repairs_total{what="network"} 0',
      `k8s_win_last_check_timestamp_seconds ${NOW / 1000}`,
    ])
    const text = await metrics()
    expect(text).toMatch(/[^\n]\n$/)
    expect(text).not.toContain('\r')
    const named = (word: string) => [...text.matchAll(new RegExp(`^# ${word} (\\w+) `, 'gm'))].map(([, name]) => name)
    const names = ['k8s_win_healthy', 'k8s_win_repairs_total', 'k8s_win_last_check_timestamp_seconds']
    expect([named('HELP'), named('TYPE')]).toEqual([names, names])
  })

  it('review D3-4: has a series of each component before its first repair', async () => {
    await open().report()
    expect((await samples()).filter((one) => /repairs_total.* 0$/.test(one)).length).toBeGreaterThan(2)
  })

  it('has no state of what is not known, and the time of the last check', async () => {
    const {report} = open()
    await report()
    await report({at: NOW + 60_000, detail: 'a disk cannot be read', verdict: 'unknown'})
    expect(await samples()).toEqual([`k8s_win_last_check_timestamp_seconds ${NOW / 1000}`])
  })

  it('counts a repair once, also when the list forgets it or the configuration changes', async () => {
    const {again, report} = open()
    await report()
    await report({repairs: [REPAIRED]})
    again()
    await report({at: NOW + 60_000, repairs: [REPAIRED, FAILED]})
    await report({at: NOW + 120_000, repairs: [FAILED]})
    expect(await samples()).toContain('k8s_win_repairs_total{what="flanneld"} 2')
  })

  it('has labels in which nothing ends the label', async () => {
    await open().report({components: ['a"} 1\nfake 2', String.raw`C:\k`]})
    expect((await samples()).slice(0, 2)).toEqual([
      String.raw`k8s_win_healthy{component="a\"} 1\nfake 2"} 1`,
      String.raw`k8s_win_healthy{component="C:\\k"} 1`,
    ])
  })

  it('is not written to a folder to which others can add', async () => {
    await machine.win32.setSecurity(FOLDER, 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;0x6;;;BU)')
    await open().report()
    expect(await metrics()).toBe('')
  })

  it('does not come back when setup has removed it', async () => {
    const {report} = open()
    await report()
    await machine.files.remove(METRICS)
    await report({at: NOW + 3_600_000})
    expect(await machine.files.status(METRICS)).toBeUndefined()
  })
})

describe('Windows events', () => {
  it('are one per repair and give-up, without those of the watch before', async () => {
    const {again, report} = open()
    const before = {...GAVE_UP, at: NOW - 1}
    await report({repairs: [before]})
    await report({repairs: [before, REPAIRED]})
    again()
    await report({repairs: [before, REPAIRED, FAILED]})
    await report({repairs: [before, REPAIRED, FAILED, GAVE_UP]})
    expect(events.map(([level, id]) => [level, id])).toEqual([
      ['information', '10'],
      ['error', '11'],
    ])
  })

  it('have no secret', async () => {
    const redactor = createRedactor()
    redactor.register('s3cr3t-of-a-node')
    const {report} = open(redactor)
    await report()
    await report({repairs: [{...GAVE_UP, why: 'because of s3cr3t-of-a-node'}]})
    expect(events.flat().join(' ')).toContain('because of ***')
  })
})

describe('the log of watch', () => {
  const lines = async () => {
    const names = await machine.files.list(LOGS)
    expect(names.filter((name) => !isRunLog(name))).toEqual([])
    const files = await Promise.all(names.map((name) => machine.files.read(`${LOGS}\\${name}`)))
    return files.join('').trimEnd().split('\n')
  }

  it('has a line per change, repair and give-up', async () => {
    const {report} = open()
    await report()
    await report({at: NOW + 15_000})
    await report({at: NOW + 30_000, troubles: [stopped('flanneld')], verdict: 'recovering'})
    await report({at: NOW + 45_000, repairs: [FAILED], troubles: [stopped('flanneld')], verdict: 'recovering'})
    await report({at: NOW + 60_000, repairs: [FAILED, GAVE_UP], troubles: [stopped('flanneld')], verdict: 'gave-up'})
    const found = await lines()
    expect(found.map((line) => line.replace(/^\S+ /, '').split(/[:;]/)[0])).toEqual([
      'INFO  healthy',
      'WARN  recovering',
      'WARN  failed',
      'ERROR gave up',
      'WARN  gave-up',
    ])
    expect(found[1]).toContain('SERVICE_DOWN')
  })

  it('begins a new file when the last is large', async () => {
    const {report} = open({redact: (text) => text, register: () => {}})
    for (const [index, letter] of [...'abc'].entries())
      await report({at: NOW + index, detail: letter.repeat(700_000), verdict: 'unknown'})
    expect(await machine.files.list(LOGS)).toHaveLength(2)
  })
})
