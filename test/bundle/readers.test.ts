// Programs of Windows that a bundle asks: read only, bounded, and reported where they fail.
import {afterAll, describe, expect, it} from 'vitest'
import {type Collected, collectorOf} from '../../src/bundle/collector.js'
import {program} from '../../src/bundle/readers.js'
import {COLLECTORS} from '../../src/bundle/table.js'
import type {Machine} from '../../src/machine/machine.js'
import {ProgramNotFoundError, type Run, type RunResult} from '../../src/machine/run.js'
import {HostFolder} from '../steps/host-folder.js'
import {bundleOn} from './bundle-on.js'
import {rigOf} from './collector-rig.js'

const NETSH = String.raw`C:\Windows\System32\netsh.exe`
const LARGEST = 512 * 1024
const ROW = '10.0.0.255                                    ff-ff-ff-ff-ff-ff  Permanent\r\n'
const HUGE = ROW.repeat(20_000)

const host = HostFolder.empty()
afterAll(() => host.discard())

const running =
  (run: Run) =>
  (machine: Machine): Machine => ({...machine, run})
const saying =
  (said: Partial<RunResult>): Run =>
  async () => ({durationMs: 1, exitCode: 0, stderr: '', stdout: '', ...said})

async function collect(run: Run): Promise<Collected> {
  const context = await rigOf(host, running(run))
  return collectorOf('network/x.txt', program('netsh.exe', 'show')).collect(context)
}

describe('a program', () => {
  it('is reported as it speaks', async () => {
    expect(await collect(saying({stdout: 'Aktive Verbindungen\r\n\u00e4\r\n'}))).toEqual({
      entries: [{content: {text: 'Aktive Verbindungen\r\n\u00e4\r\n'}, path: 'network/x.txt'}],
    })
  })

  it('that says too much is cut after a line, and that is reported', async () => {
    const {entries} = await collect(saying({stdout: HUGE}))
    const kept = ROW.repeat(Math.floor(LARGEST / ROW.length))
    const cut = `the last ${HUGE.length - kept.length} of ${HUGE.length} bytes`
    expect(entries).toEqual([{content: {text: kept}, cut, path: 'network/x.txt'}])
  })

  it('that says too much in one line says nothing', async () => {
    const {entries} = await collect(saying({stdout: '\u00e4'.repeat(LARGEST)}))
    expect(entries).toMatchObject([{content: {text: ''}, cut: `the last ${2 * LARGEST} of ${2 * LARGEST} bytes`}])
  })

  it('that fails is reported in few words', async () => {
    const failing = collect(saying({exitCode: 5, stderr: HUGE, stdout: 'Zugriff verweigert. '}))
    const told = await failing.then(() => '', String)
    expect(told).toContain(`${NETSH} show ended with 5: Zugriff verweigert. `)
    expect(told.length).toBeLessThan(600)
  })
})

it('all are asked by absolute path, as a read, with a deadline below that of their collector', async () => {
  const asked: string[] = []
  const context = await rigOf(
    host,
    running(async (program, args, {deadlineMs, effect}) => {
      expect({deadlineMs, effect}).toEqual({deadlineMs: 10_000, effect: 'read'})
      asked.push([program, ...args].join(' '))
      throw new ProgramNotFoundError(program)
    }),
  )
  for (const {collect: ask} of COLLECTORS) await ask(context).catch(() => {})
  const asking = `${NETSH} interface ipv4 show`
  expect(asked).toEqual([
    `${asking} excludedportrange protocol=tcp`,
    `${asking} excludedportrange protocol=udp`,
    `${asking} dynamicport tcp`,
    `${asking} dynamicport udp`,
    `${asking} neighbors`,
    `${asking} subinterfaces`,
  ])
})

it('a bundle bears a host with too much to say, and one without the programs', async () => {
  const {report, text} = await bundleOn(host, {
    wrap: (machine) => ({
      ...machine,
      run(path, args, options) {
        if (args.includes('subinterfaces')) return Promise.reject(new ProgramNotFoundError(path))
        return args.includes('neighbors')
          ? saying({stdout: HUGE})(path, args, options)
          : machine.run(path, args, options)
      },
    }),
  })
  const {entries, failed} = report.manifest
  expect(failed).toEqual([{collector: 'network/interfaces.txt', reason: `the program ${NETSH} does not exist`}])
  expect(entries.filter(({cut}) => cut !== undefined)).toEqual([
    expect.objectContaining({
      cut: expect.stringMatching(/^the last \d+ of 1\d+ bytes$/) as string,
      path: 'network/neighbours.txt',
    }),
  ])
  expect(text('network/neighbours.txt').length).toBeLessThanOrEqual(LARGEST)
  expect(text('network/dynamic-ports-tcp.txt')).toContain('49152')
})
