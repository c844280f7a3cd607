// What people see, as docs/output.md shows it: setup itself, on simulated hosts, drawn on a terminal of 80 columns.
import {fileURLToPath} from 'node:url'
import {flanneldArtifact} from '../../src/artifacts/catalog.js'
import {INSTALLED} from '../../src/cli/arguments/typed-commands.js'
import {watchSimulated} from '../../src/cli/run/watch-simulated.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {setupConfig} from '../fixtures/setup-config.js'
import type {Files} from '../../src/machine/files.js'
import type {Assets, Machine} from '../../src/machine/machine.js'
import {openAssets} from '../../src/machine/real/assets.js'
import {planLines} from '../../src/output/run/plan-lines.js'
import {plainView} from '../../src/output/run/plain-view.js'
import {terminalView} from '../../src/output/run/terminal-view.js'
import {openScreen} from '../../src/output/screen.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {EventBus, type RunResultDocument, type TimedEvent} from '../../src/pipeline/run/events.js'
import {runSetup} from '../../src/runs/setup/setup.js'
import type {SimulatedClock} from '../../src/simulator/clock.js'
import {OWN_PROGRAM} from '../../src/simulator/index.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {FakeTerminal} from '../output/fake-terminal.js'
import {HostFolder} from '../steps/host-folder.js'
import {NEXT} from './pictures/terminal.js'
import {pictures} from './pictures/pictures.js'
import {statusScreen} from './status-screen.js'

const PROFILE = 'ws2025'
const COLUMNS = 80
const LAST_LINES = 7
const FLANNELD = flanneldArtifact(setupConfig()).url
const COMMAND = ['setup', '-BaseDir', String.raw`c:\k`]
/** What the clock says is another every time; how long things take is not. */
const TIMES = /\d{4}-\d\d-\d\dT\d\d([:-])\d\d[:-]\d\d([.-])\d{3}Z/g

const packaged = openAssets(fileURLToPath(new URL('../..', import.meta.url)))

interface Visit {
  readonly given?: GivenOptions
  readonly typed?: readonly string[]
}

interface Drawn {
  /** By name, each an SVG. */
  readonly pictures: Readonly<Record<string, string>>
  /** By name; each begins with the command line. */
  readonly screens: Readonly<Record<string, string>>
}

export async function draw(): Promise<Drawn> {
  const [host, unfit, betrayed] = [HostFolder.empty(), HostFolder.empty(), HostFolder.empty()]
  try {
    const success = await visit(host)
    const drawn = pictures({events: success.events, typed: typedLine(success.typed), world: host.world})
    const again = await visit(host)
    const dryRun = await visit(host, {
      given: {'cluster-dns': '10.10.0.11', 'dry-run': true},
      typed: ['-ClusterDns', '10.10.0.11', '-DryRun'],
    })
    const refused = await visit(await made(unfit, withOtherOverlay))
    const failed = await visit(await made(betrayed, withWrongBytes))
    const texts = {
      again: onTerminal(again),
      'dry-run': onTerminal(dryRun, true),
      refused: onTerminal(refused),
      status: await statusScreen(host.dir, packaged),
      success: onTerminal(success),
      unattended: asLastLines(failed),
    }
    return {pictures: drawn, screens: texts}
  } finally {
    for (const folder of [host, unfit, betrayed]) folder.discard()
  }
}

export async function made(folder: HostFolder, sicken: (world: World) => void): Promise<HostFolder> {
  await openSimulator({dir: folder.dir, profile: PROFILE})
  folder.edit(sicken)
  return folder
}

export interface Seen {
  readonly events: readonly TimedEvent[]
  readonly typed: readonly string[]
}

export async function visit(host: HostFolder, {given = {}, typed = []}: Visit = {}): Promise<Seen> {
  const dryRun = given['dry-run'] === true
  const simulated = await openSimulator({dir: host.dir, profile: PROFILE, readOnly: dryRun})
  const {assets, machine} = timeless(simulated)
  const bus = new EventBus(() => machine.clock.now())
  const events: TimedEvent[] = []
  bus.listen((event) => events.push(event))
  const run = {assets, bus, dryRun, given, machine, redactor: createRedactor()}
  const result = await runSetup({...run, signal: new AbortController().signal})
  if (!dryRun) await watchSimulated({assets, machine})
  return {events: inOrder(events, result), typed: [...COMMAND, ...typed]}
}

/** Our own work takes no simulated time; otherwise it would take as much as goes by elsewhere while this machine is at it. */
export function timeless(machine: Machine): {readonly assets: Assets; readonly machine: Machine} {
  const {whileBusy} = machine.clock as SimulatedClock
  const {readChunks, writeChunks} = machine.files
  const files: Files = {
    ...machine.files,
    async *readChunks(path) {
      let finish = (): void => undefined
      const held = whileBusy(() => new Promise<void>((resolve) => (finish = resolve)))
      try {
        yield* readChunks(path)
      } finally {
        finish()
        await held
      }
    },
    writeChunks: (path, chunks) => whileBusy(() => writeChunks(path, chunks)),
  }
  const assets: Assets = {
    // As the command line has it with --simulate: an installed program, which the service k8s-win can run.
    program: {command: [OWN_PROGRAM], file: OWN_PROGRAM},
    shawl: () => whileBusy(() => packaged.shawl()),
    shawlVersion: () => packaged.shawlVersion(),
    template: (name) => whileBusy(() => packaged.template(name)),
  }
  return {assets, machine: {...machine, files}}
}

function withOtherOverlay({cluster, os}: World): void {
  os.listening.push('tcp/10250')
  for (const {data} of cluster.configMaps) {
    if ('net-conf.json' in data) data['net-conf.json'] = data['net-conf.json'].replace('4096', '1')
  }
}

function withWrongBytes({downloads}: World): void {
  downloads[FLANNELD] = {fault: 'wrong-bytes'}
}

/** What happens at the same moment of simulated time happens in any order; here it has the order of the lists. */
function inOrder(events: readonly TimedEvent[], {checks, steps}: RunResultDocument): TimedEvent[] {
  const rank = (event: TimedEvent): number => {
    if (event.type === 'check') return checks.findIndex(({id}) => id === event.check.id) - checks.length
    const id = event.type === 'step-finished' ? event.step.id : 'id' in event ? event.id : undefined
    return id === undefined ? 0 : steps.findIndex((step) => step.id === id)
  }
  const [started, ...rest] = events
  const end = rest.pop()
  rest.sort((a, b) => a.at.localeCompare(b.at) || rank(a) - rank(b))
  return [started, ...rest, end].filter((event) => event !== undefined)
}

const quiet = () => (): void => undefined

export function onTerminal({events, typed}: Seen, isDryRun = false): string {
  const stream = new FakeTerminal(COLUMNS)
  const screen = openScreen(stream, {NO_COLOR: '1'})
  const plan = (result: RunResultDocument): number => {
    const lines = planLines(result, screen)
    stream.write(lines.map((line) => `${line}\n`).join(''))
    return lines.length
  }
  const planned = isDryRun ? {plan} : {}
  const view = terminalView({...planned, next: NEXT, now: () => 0, screen, ticker: quiet, verbose: false})
  for (const event of events) view.listen(event)
  return shown(typed, stream.screen)
}

export function asLastLines({events, typed}: Seen, most = LAST_LINES): string {
  let text = ''
  const stream = {write: (part: string) => (text += part)}
  const view = plainView({next: [], now: () => 0, stream, ticker: quiet, verbose: false})
  for (const event of events) view.listen(event)
  return shown(typed, text.trimEnd().split('\n').slice(-most).join('\n'))
}

function shown(typed: readonly string[], text: string): string {
  const fixed = text.replaceAll(
    TIMES,
    (_, mark: string, point: string) => `2026-01-31T09${mark}00${mark}00${point}000Z`,
  )
  return [typedLine(typed), fixed.trimEnd()].join('\n')
}

const typedLine = (typed: readonly string[]): string => String.raw`C:\> ` + [INSTALLED.called, ...typed].join(' ')
