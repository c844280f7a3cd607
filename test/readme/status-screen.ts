// The status of a node whose kube-proxy a user stopped, as docs/health.md shows it.
import {watchSimulated} from '../../src/cli/run/watch-simulated.js'
import {openHost} from '../../src/host/host.js'
import type {Assets} from '../../src/machine/machine.js'
import {openScreen} from '../../src/output/screen.js'
import {statusLines} from '../../src/output/status/status-text.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {runStatus} from '../../src/runs/status/status.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {HostPlace} from '../steps/host-folder.js'

const COLUMNS = 80
const PROFILE = 'ws2025'
/** What the clock says is another every time, and so is how long the look took. */
const TIMES = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g
const EXPIRY = /(?<=until )\d{4}-\d\d-\d\d(?: \(\d+d left\))?/g
const TOOK = /\d+\.\d+s\)/g

export async function statusScreen(dir: HostPlace, assets: Assets): Promise<string> {
  const {signal} = new AbortController()
  const machine = await openSimulator({dir, profile: PROFILE})
  const {services} = openHost(machine, {assets, baseDir: String.raw`C:\k`, dockerPipe: ''})
  await services.stop('kubeproxy', signal)
  await watchSimulated({assets, machine})
  const typed = (name: string): string => `k8s-win ${name}`
  const document = await runStatus({assets, environment: {}, machine, redactor: createRedactor(), signal, typed})
  const screen = openScreen({columns: COLUMNS, isTTY: true, write: () => {}}, {NO_COLOR: '1'})
  const lines = statusLines(document, screen)
  const text = lines.join('\n').replaceAll(TIMES, '2026-01-31 09:00:00Z').replaceAll(EXPIRY, '2027-01-31 (365d left)')
  return [String.raw`C:\> k8s-win status`, text.replaceAll(TOOK, '0.1s)').trimEnd()].join('\n')
}
