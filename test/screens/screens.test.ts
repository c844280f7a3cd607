// The ten screens that people see most, at 80 columns, on Windows Server 2025 with a fixed clock. UPDATE_GOLDEN=1 writes them anew.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {Readable} from 'node:stream'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {askOn} from '../../src/cli/ask.js'
import {doctorLines} from '../../src/output/doctor/doctor-text.js'
import {openScreen} from '../../src/output/screen.js'
import {statusLines} from '../../src/output/status/status-text.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {runDoctor} from '../../src/runs/doctor/doctor.js'
import {runStatus} from '../../src/runs/status/status.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {assets} from '../fixtures/assets.js'
import {FakeTerminal} from '../output/fake-terminal.js'
import {asLastLines, made, onTerminal, timeless, visit} from '../readme/screens.js'
import {resetOn} from '../reset/reset-run.js'
import {HostFolder} from '../steps/host-folder.js'

const COLUMNS = 80
const PROFILE = 'ws2025'
const NOW = Date.parse('2026-01-31T09:00:00Z')
const ALL = Infinity

const folder = fileURLToPath(new URL('golden/', import.meta.url))
const screen = openScreen({columns: COLUMNS, isTTY: true, write: () => {}}, {NO_COLOR: '1'})
const hosts: HostFolder[] = []

/** How long a look takes on this machine is another every time. */
const steady = (text: string): string => text.replaceAll(/\d+(?:\.\d+)?s\)/g, '0.1s)')

async function host(sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  const one = HostFolder.empty()
  hosts.push(one)
  return made(one, (world) => {
    world.os.time = NOW
    sicken(world)
  })
}

async function statusInput({dir}: HostFolder) {
  const {machine} = timeless(await openSimulator({dir, profile: PROFILE, readOnly: true}))
  const {signal} = new AbortController()
  return {
    assets,
    environment: {},
    machine,
    redactor: createRedactor(),
    signal,
    typed: (name: string) => `k8s-win ${name}`,
  }
}

const status = async (of: HostFolder): Promise<string> =>
  steady(statusLines(await runStatus(await statusInput(of)), screen).join('\n'))

const doctor = async (of: HostFolder): Promise<string> =>
  steady(
    doctorLines(await runDoctor({...(await statusInput(of)), given: {}, onCheck: () => {}}), screen, false).join('\n'),
  )

async function question({dir}: HostFolder): Promise<string> {
  const stderr = new FakeTerminal(COLUMNS)
  const stdin = Object.assign(Readable.from(['n\n']), {isTTY: true})
  await resetOn(dir, {asker: askOn({stderr, stdin, stdout: stderr}), profile: PROFILE})
  return stderr.screen
}

const drawn: Record<string, string> = {}

beforeAll(async () => {
  const [node, unfit, cut] = [await host(), await host((world) => world.os.listening.push('tcp/10250')), await host()]
  drawn['setup-dry-run'] = onTerminal(await visit(node, {given: {'dry-run': true}, typed: ['-DryRun']}), true)
  const fresh = await visit(node)
  drawn['setup'] = onTerminal(fresh)
  drawn['setup-unattended'] = asLastLines(fresh, ALL)
  drawn['setup-again'] = onTerminal(await visit(node))
  drawn['status'] = await status(node)
  drawn['doctor'] = await doctor(node)
  drawn['reset-question'] = await question(node)
  drawn['setup-refused'] = onTerminal(await visit(unfit))
  drawn['doctor-problem'] = await doctor(unfit)
  await visit(cut, {given: {timeout: '60s'}, typed: ['-Timeout', '60s']})
  drawn['status-interrupted'] = await status(cut)
}, 300_000)

afterAll(() => {
  for (const one of hosts) one.discard()
})

describe('the screen', () => {
  test.each([
    'setup',
    'setup-unattended',
    'setup-again',
    'setup-refused',
    'setup-dry-run',
    'status',
    'status-interrupted',
    'doctor',
    'doctor-problem',
    'reset-question',
  ])('%s is as its golden file', (name) => {
    const text = `${(drawn[name] ?? '').trimEnd()}\n`
    const path = `${folder}${name}.txt`
    if (process.env['UPDATE_GOLDEN']) {
      mkdirSync(folder, {recursive: true})
      writeFileSync(path, text)
    }
    expect(text).toBe(readFileSync(path, 'utf8'))
    // Without a terminal no line is wrapped.
    const widest = name === 'setup-unattended' ? ALL : COLUMNS
    expect(text.split('\n').filter((line) => line.length > widest)).toEqual([])
    expect(createRedactor().redact(text)).toBe(text)
  })
})
