// The page of a run in a real browser: Debian's Chromium, headless, light and dark. REPORT_PICTURE=docs/images/report.png also
// writes the picture of the README.
import {execFile} from 'node:child_process'
import {copyFile, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {createRedactor} from '../../src/output/text/redact.js'
import {pageOfRun} from '../../src/runs/report.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const run = promisify(execFile)
const hasBrowser = await run('chromium', ['--version']).then(
  () => true,
  () => false,
)
if (!hasBrowser) {
  process.stderr.write("NOT RUN: the page of a run in a browser. Install Debian's package chromium to run it.\n")
}

let folder: string
let url: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'report-page-'))
  const {dir} = await HostFolder.fresh(() => {}, 'ws2025')
  const {events, result} = await setupOn(dir, {}, {}, 'ws2025')
  const machine = await openSimulator({dir, profile: 'ws2025', readOnly: true})
  const {signal} = new AbortController()
  const request = {environment: {}, machine, redactor: createRedactor(), signal, version: '0.1.0'}
  await writeFile(path.join(folder, 'page.html'), await pageOfRun(request, events, result))
  url = `file://${path.join(folder, 'page.html')}`
})

afterAll(() => rm(folder, {force: true, recursive: true}))

const browse = (...args: readonly string[]) =>
  run(
    'chromium',
    ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${path.join(folder, 'profile')}`, ...args, url],
    {maxBuffer: 10_000_000, timeout: 120_000},
  )

async function picture(name: string, ...args: readonly string[]): Promise<Buffer> {
  const file = path.join(folder, name)
  await browse('--hide-scrollbars', '--window-size=1000,830', `--screenshot=${file}`, ...args)
  return readFile(file)
}

test.skipIf(!hasBrowser)('is parsed as it is written: a timeline and the tables', async () => {
  const {stdout} = await browse('--dump-dom')
  for (const part of ['<svg class="tl"', 'Critical path:', '<h2>Versions and digests</h2>'])
    expect(stdout).toContain(part)
})

test.skipIf(!hasBrowser)('is light or dark, as the user prefers', async () => {
  const light = await picture('light.png')
  const dark = await picture('dark.png', '--force-dark-mode', '--blink-settings=preferredColorScheme=0')
  expect(light.subarray(1, 4).toString()).toBe('PNG')
  expect(dark.equals(light)).toBe(false)
  expect(light.length).toBeLessThan(150_000)
  const target = process.env['REPORT_PICTURE']
  if (target !== undefined) await copyFile(path.join(folder, 'light.png'), target)
})
