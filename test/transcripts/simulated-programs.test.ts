// The simulated host-local, shawl, taskkill and service manager beside what the real ones answered.
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {afterAll, describe, expect, it} from 'vitest'
import {parseShawlRun} from '../../src/simulator/daemons/shawl-options.js'
import {describeRun} from '../../src/simulator/daemons/shawl-log.js'
import {splitCommandLine} from '../../src/simulator/daemons/command-line.js'
import {createDrive} from '../../src/simulator/drive.js'
import {runTaskkill} from '../../src/simulator/programs/taskkill.js'
import {simulatedHostLocal} from '../lab/host-local/side-by-side.js'
import {SCENARIOS} from '../lab/host-local/scenarios.js'
import {codeOf, makeNode, serviceConfig} from '../simulator/node.js'
import {ofGroup, RECORDINGS, recording, textOf} from './corpus.js'
import {HOST_LOCAL_QUESTIONS} from './questions/host-local.js'

const dir = mkdtempSync(path.join(tmpdir(), 'k8s-win-transcripts-'))
afterAll(() => rmSync(dir, {force: true, recursive: true}))

describe('host-local', () => {
  const drive = createDrive({digestOf: () => '', dir, security: () => ({})})
  it.each(SCENARIOS.map((scenario, number) => ({number, scenario})))(
    'is the real one, letter by letter: $scenario.name',
    async ({number, scenario}) => {
      const side = simulatedHostLocal(drive, `C:\\ipam\\store-${number}`)
      await side.prepare(scenario.before ?? {})
      for (const question of HOST_LOCAL_QUESTIONS.filter((one) => one.scenario === scenario)) {
        const {exitCode, stderr, stdout} = await side.call(question.call)
        const entry = RECORDINGS.find(({id}) => id === `host-local/${question.name}`)
        if (!entry) continue
        const folder = (text: string): string => text.replaceAll(/(?:C:)?[\\/]+ipam[\\/]+<folder>/g, 'DATA_DIR')
        // Debian builds it without telling it its version.
        const version = (text: string): string => text.replace('v1.1.1', 'version unknown')
        expect([exitCode, folder(stdout), version(folder(stderr))]).toEqual([
          entry.exitCode,
          textOf(entry, 'out'),
          textOf(entry, 'err'),
        ])
      }
    },
  )
})

describe('shawl', () => {
  const refused = ofGroup('shawl').filter(({exitCode, parts}) => exitCode === 2 && parts.includes('err'))
  it.each(refused)('refuses in the same words: $asked', (entry) => {
    // Without anything it shows its help.
    if (entry.id === 'shawl/nothing') return expect(textOf(entry, 'err')).toContain('USAGE:')
    const real = textOf(entry, 'err').split(/\n\n|\n\t/)[0]
    expect(parseShawlRun(splitCommandLine(entry.asked).slice(1)).error).toBe(real)
  })

  const services = ofGroup('shawl').filter(({parts}) => parts.includes('log'))
  it.each(services)('starts its log in the same words: $id', (entry) => {
    const lines = textOf(entry, 'log').split('\n')
    const run = parseShawlRun(splitCommandLine(entry.asked).slice(1))
    if (run.error !== undefined) throw new Error(run.error)
    const heads = ['********** LAUNCH **********', describeRun(run), 'Entering main service loop']
    for (const line of lines.slice(0, 3)) expect(line).toMatch(/^[\d-]{10} [\d:]{8} \[DEBUG\] /)
    expect(lines.slice(0, 3).map((line) => line.slice('2026-11-15 05:49:23 [DEBUG] '.length))).toEqual(heads)
    expect(lines[3]).toMatch(/\[INFO\] Launching command$/)
  })

  it.each([
    ['ended-with-3', 3, {serviceExitCode: 3, win32ExitCode: 1066}],
    ['ended-with-0', 0, {serviceExitCode: 0, win32ExitCode: 0}],
  ])('tells the service manager what its program ended with: %s', (name, _, codes) => {
    const said = textOf(recording(`shawl/service-${name}`), 'out')
    const number = (key: string): number => Number(new RegExp(`${key} +: (\\d+)`).exec(said)?.[1])
    expect({serviceExitCode: number('SERVICE_EXIT_CODE'), win32ExitCode: number('WIN32_EXIT_CODE')}).toEqual(codes)
  })
})

describe('programs of Windows, by their codes', () => {
  it('taskkill of what is not there', async () => {
    const {stage} = await makeNode()
    const {exitCode} = await runTaskkill(stage, ['/F', '/T', '/PID', '4711'])
    for (const language of ['en', 'de', 'ja', 'zh-CN']) {
      expect(exitCode).toBe(recording(`wine/${language}/taskkill-no-process`).exitCode)
    }
  })

  it('the service manager', async () => {
    const {win32} = await makeNode()
    const config = serviceConfig(String.raw`C:\nonsense.exe`)
    const codes = [
      await codeOf(win32.createService('lab', config)),
      await codeOf(win32.createService('lab', config)),
      await codeOf(win32.stopService('lab')),
      await codeOf(win32.deleteService('lab')),
      await codeOf(win32.deleteService('lab')),
    ]
    const names = ['create', 'create-again', 'stop-not-started', 'delete', 'delete-again']
    expect(codes).toEqual(names.map((name) => recording(`wine/en/sc-${name}`).exitCode))
  })
})
