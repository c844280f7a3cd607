// setup in this process, reported in all forms at once: the lines without a terminal, the terminal's, JSON and NDJSON.
import {reportError} from '../../src/cli/report-error.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {jsonView, ndjsonView} from '../../src/output/run/json-view.js'
import {plainView} from '../../src/output/run/plain-view.js'
import {terminalView} from '../../src/output/run/terminal-view.js'
import {openScreen, type Sink} from '../../src/output/screen.js'
import {createRedactor, redactAll} from '../../src/output/text/redact.js'
import {EventBus} from '../../src/pipeline/run/events.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import type {HostPlace} from '../steps/host-folder.js'

export interface Told {
  readonly exitCode: number
  /** Everything that was shown, by its form. */
  readonly shown: Readonly<Record<string, string>>
}

export async function tellAll(
  dir: HostPlace,
  given: GivenOptions,
  environment: Readonly<Record<string, string>> = {},
  dryRun = false,
): Promise<Told> {
  const machine = await openSimulator({dir, profile: 'ws2019'})
  const {now} = machine.clock
  const bus = new EventBus(now)
  const redactor = createRedactor()
  const shown: Record<string, string> = {}
  const sink = (form: string, isTTY = false): Sink => {
    shown[form] = ''
    return {
      columns: isTTY ? 80 : undefined,
      isTTY,
      rows: isTTY ? 24 : undefined,
      write: (text) => (shown[form] += text),
    }
  }

  const text = {next: [], now, ticker: () => () => {}, verbose: true}
  const views = [
    plainView({...text, stream: sink('plain lines')}),
    terminalView({...text, screen: openScreen(sink('terminal', true))}),
    jsonView(sink('JSON')),
    ndjsonView(sink('NDJSON')),
  ]
  bus.listen((event) => {
    const safe = redactAll(event, redactor.redact)
    for (const view of views) view.listen(safe)
  })
  try {
    const result = await runSetup({
      assets,
      bus,
      dryRun,
      environment,
      given,
      machine,
      redactor,
      signal: new AbortController().signal,
    })
    return {exitCode: result.exitCode, shown}
  } catch (error) {
    for (const view of views) view.stop()
    const report = {command: 'setup', now, simulated: true, startedAt: now(), verbose: true}
    const exitCode = reportError(error, {
      ...report,
      format: 'json',
      stderr: sink('error'),
      stdout: sink('error as JSON'),
    })
    return {exitCode, shown}
  }
}
