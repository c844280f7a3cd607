// Ports that Windows hands out and keeps: read from netsh's rows by their numbers, in any language.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {longestFree, openPortRanges} from '../../src/host/port-ranges.js'
import type {Run} from '../../src/machine/run.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {HostFolder} from '../steps/host-folder.js'
import {temporaryFolder} from '../steps/rig.js'

const saying =
  (stdout: string, exitCode = 0): Run =>
  () =>
    Promise.resolve({durationMs: 1, exitCode, stderr: '', stdout})

const GERMAN = [
  '',
  'Ausschlussbereiche für den Port des Protokolls tcp',
  '',
  'Startport    Endport      ',
  '----------    --------      ',
  '     50000       50059     *',
  '      5357        5357      ',
  '',
  '* - Verwaltete Portausschlüsse.',
  '',
].join('\r\n')

const registry = {registryValue: async () => undefined}

describe('excluded ranges', () => {
  it('are the rows with two numbers, in order', async () => {
    expect(await openPortRanges(saying(GERMAN), registry).excluded()).toEqual([
      {from: 5357, to: 5357},
      {from: 50_000, to: 50_059},
    ])
  })

  it('none', async () => {
    expect(await openPortRanges(saying('\r\n\r\n'), registry).excluded()).toEqual([])
  })

  it('a netsh that fails reports nothing, which is not a failure of the host', async () => {
    const ranges = openPortRanges(saying(' 80  90\nx: 1', 1), registry)
    expect(await ranges.excluded()).toBeUndefined()
    expect(await ranges.dynamic()).toBeUndefined()
  })
})

it('the dynamic range', async () => {
  const german = [
    '',
    'Dynamischer Portbereich',
    '------',
    'Startport       : 49152',
    'Anzahl von Ports : 16384',
    '',
  ].join('\r\n')
  expect(await openPortRanges(saying(german), registry).dynamic()).toEqual({from: 49_152, to: 65_535})
  expect(await openPortRanges(saying(''), registry).dynamic()).toBeUndefined()
})

it('the simulated netsh prints what is read back', async () => {
  const dir = temporaryFolder()
  await openSimulator({dir, profile: 'ws2019'})
  const kept = [
    {from: 80, to: 80},
    {from: 50_000, to: 50_059},
  ]
  new HostFolder(dir).edit((world) => (world.os.excludedPorts = kept))
  const {run, win32} = await openSimulator({dir, profile: 'ws2019'})
  const ranges = openPortRanges(run, win32)
  expect(await ranges.excluded()).toEqual(kept)
  expect(await ranges.dynamic()).toEqual({from: 49_152, to: 65_535})
})

describe('the longest free row', () => {
  it('is as counted port by port', () => {
    const port = fc.integer({max: 60, min: 0})
    const range = fc.tuple(port, port).map(([a, b]) => ({from: Math.min(a, b), to: Math.max(a, b)}))
    fc.assert(
      fc.property(range, fc.array(range, {maxLength: 6}), (whole, excluded) => {
        let [longest, row] = [0, 0]
        for (let at = whole.from; at <= whole.to; at++) {
          row = excluded.some(({from, to}) => from <= at && at <= to) ? 0 : row + 1
          longest = Math.max(longest, row)
        }
        expect(longestFree(whole, excluded)).toBe(longest)
      }),
    )
  })
})
