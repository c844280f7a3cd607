// The simulated host-local and shawl beside what the real ones answered.
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect} from 'vitest'
import {parseShawlRun} from '../../src/simulator/daemons/shawl-options.js'
import {splitCommandLine} from '../../src/machine/command-line.js'
import {createDrive} from '../../src/simulator/drive.js'
import {simulatedHostLocal} from '../lab/host-local/side-by-side.js'
import {SCENARIOS} from '../lab/host-local/scenarios.js'
import {check, everyChangeIsSeen} from './checks.js'
import {idsOf, recording, textOf} from './corpus.js'
import {HOST_LOCAL_QUESTIONS} from './questions/host-local.js'
import {SHAWL_OPTIONS, SHAWL_SERVICES} from './questions/shawl.js'

const dir = mkdtempSync(path.join(tmpdir(), 'k8s-win-transcripts-'))
afterAll(() => rmSync(dir, {force: true, recursive: true}))

describe('host-local', () => {
  const drive = createDrive(dir, {digestOf: () => '', keep: () => {}, security: () => ({})})
  /** By question, each answer once, as the recorder keeps them. */
  const simulated = new Map<string, readonly [exitCode: number, out: string, err: string]>()

  beforeAll(async () => {
    const folder = (text: string): string => text.replaceAll(/(?:C:)?[\\/]+ipam[\\/]+<folder>/g, 'DATA_DIR')
    // Debian builds it without telling it its version.
    const version = (text: string): string => text.replace('v1.1.1', 'version unknown')
    const seen = new Set<string>()
    for (const [number, scenario] of SCENARIOS.entries()) {
      const side = simulatedHostLocal(drive, `C:\\ipam\\store-${number}`)
      await side.prepare(scenario.before ?? {})
      for (const {call, name} of HOST_LOCAL_QUESTIONS.filter((one) => one.scenario === scenario)) {
        const {exitCode, stderr, stdout} = await side.call(call)
        const answer = [exitCode, folder(stdout), version(folder(stderr))] as const
        if (!seen.has(JSON.stringify(answer))) simulated.set(`host-local/${name}`, answer)
        seen.add(JSON.stringify(answer))
      }
    }
  })

  check('every question has its recording, each answer once', () => {
    expect(idsOf('host-local').sort()).toEqual([...simulated.keys()].sort())
  })

  for (const id of idsOf('host-local')) {
    check(`is the real one, letter by letter: ${id}`, () => {
      const entry = recording(id)
      expect(simulated.get(id)).toEqual([entry.exitCode, textOf(entry, 'out'), textOf(entry, 'err')])
    })
  }
})

describe('shawl', () => {
  const HELP = 'help-run'
  const KNOWN = [
    '--log-dir',
    '--name',
    '--no-log',
    '--no-restart',
    '--pass',
    '--restart',
    '--restart-if-not',
    '--stop-timeout',
  ]

  check('every question has its recording', () => {
    const services = Object.keys(SHAWL_SERVICES).map((name) => `service-${name}`)
    const asked = [...Object.keys(SHAWL_OPTIONS), ...services].map((name) => `shawl/${name}`)
    expect(idsOf('shawl').sort()).toEqual(asked.sort())
  })

  check('knows options that the help lists', () => {
    const entry = recording(`shawl/${HELP}`)
    expect(entry.exitCode).toBe(0)
    const options = [...textOf(entry, 'out').matchAll(/^ {8}(--[a-z-]+)(?: <(\w+)>)?$/gm)]
    expect(options).toHaveLength(15)
    const isKnown = (option: string): boolean => !parseShawlRun(['run', option]).error?.includes("wasn't expected")
    const known = options.filter(([, option = '']) => isKnown(option))
    expect(known.map(([, option]) => option)).toEqual(KNOWN)
    for (const [, option = '', value] of known) {
      const {error} = parseShawlRun(['run', option])
      if (value === undefined) expect(error).not.toContain(option)
      else expect(error).toContain(`'${option} <${value}>`)
    }
  })

  for (const [name, args] of Object.entries(SHAWL_OPTIONS).filter(([one]) => one !== HELP)) {
    check(`refuses in the same words: ${name}`, () => {
      const entry = recording(`shawl/${name}`)
      const real = textOf(entry, 'err').split(/\n\n|\n\t/)[0]
      expect([2, parseShawlRun(args).error]).toEqual([entry.exitCode, real])
    })
  }

  for (const name of Object.keys(SHAWL_SERVICES)) {
    check(`starts its log in the same words: ${name}`, () => {
      const entry = recording(`shawl/service-${name}`)
      const lines = textOf(entry, 'log').split('\n')
      const run = parseShawlRun(splitCommandLine(entry.asked).slice(1))
      if (run.error !== undefined) throw new Error(run.error)
      // The options in Rust's notation, which nothing reads, are not simulated.
      const heads = ['********** LAUNCH **********', 'Entering main service loop']
      const [first = '', options, third = ''] = lines
      for (const line of [first, options, third]) expect(line).toMatch(/^[\d-]{10} [\d:]{8} \[DEBUG\] /)
      expect([first, third].map((line) => line.slice('2026-11-15 05:49:23 [DEBUG] '.length))).toEqual(heads)
      expect(lines[3]).toMatch(/\[INFO\] Launching command$/)
    })
  }

  // Of what the simulated one does these are the model; the numbers were read by eye.
  for (const [name, win32ExitCode, serviceExitCode] of [
    ['ended-with-0', 0, 0],
    ['ended-with-3', 1066, 3],
    ['ended-with-3-as-success', 0, 0],
    ['no-such-program', 2, 0],
    ['output', 1066, 0xc0_00_01_3a],
    ['restarted', 1066, 1],
    ['restarted-by-default', 1066, 2],
  ] as const) {
    check(`tells the service manager what its program ended with: ${name}`, () => {
      const said = textOf(recording(`shawl/service-${name}`), 'out')
      const number = (key: string): number => Number(new RegExp(`^ +${key} +: (\\d+)`, 'm').exec(said)?.[1])
      expect([number('WIN32_EXIT_CODE'), number('SERVICE_EXIT_CODE')]).toEqual([win32ExitCode, serviceExitCode])
    })
  }
})

everyChangeIsSeen(['host-local', 'shawl'])
