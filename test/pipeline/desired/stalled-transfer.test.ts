import {expect, test} from 'vitest'
import {type NoteBytes, warnOfStalls} from '../../../src/pipeline/desired/stalled-transfer.js'
import type {StepContext} from '../../../src/pipeline/run/step.js'
import {createSimulatedClock} from '../../../src/simulator/clock.js'
import {setupOn} from '../../setup/in-process.js'
import {HostFolder} from '../../steps/host-folder.js'

const MINUTE = 60_000
type Part = readonly [minutes: number, bytes: number | undefined]

/** The minutes of the warnings. */
async function warned(...parts: readonly Part[]): Promise<number[]> {
  const clock = createSimulatedClock(0, async () => {})
  const at: number[] = []
  const warn = (): void => void at.push(clock.now() / MINUTE)
  const context = {host: {clock}, warn} as unknown as StepContext
  await warnOfStalls(context, {from: 'mcr.microsoft.com', what: 'pulling'}, async (note: NoteBytes) => {
    for (const [minutes, bytes] of parts) {
      note(bytes)
      await clock.sleep(minutes * MINUTE)
    }
  })
  // Nothing comes after the end.
  await clock.sleep(5 * MINUTE)
  return at
}

test.each<[string, Part[], number[]]>([
  [
    'nothing for two minutes',
    [
      [1, 10],
      [5, 20],
    ],
    [3],
  ],
  [
    'once per stall',
    [
      [10, 10],
      [10, 20],
    ],
    [2, 12],
  ],
  [
    'the same number again is no byte',
    [
      [1, 10],
      [1, 10],
      [1, 10],
    ],
    [2],
  ],
  ['not while bytes come', Array.from({length: 10}, (_, index): Part => [1.5, index]), []],
  [
    'not while it is extracted',
    [
      [1, 10],
      [9, undefined],
    ],
    [],
  ],
  [
    'not before it begins',
    [
      [9, undefined],
      [1, 0],
    ],
    [],
  ],
])('review U2-8: a stall: %s', async (_, parts, minutes) => {
  expect(await warned(...parts)).toEqual(minutes)
})

test.each([
  ['ws2019', 'mcr.microsoft.com/windows/servercore:ltsc2019', 'silent', 2],
  ['ws2025', 'mcr.microsoft.com/windows/servercore:ltsc2025', 'silent', 2],
  // containerd makes no progress while it extracts a layer, and cancels the pull after half an hour.
  ['ws2025', 'mcr.microsoft.com/windows/nanoserver:ltsc2025', 'stalled', 0],
] as const)('review U2-8: setup on %s, pulling %s from a registry that is %s', async (profile, image, fault, count) => {
  const host = await HostFolder.fresh((world) => void (world.downloads[image] = {fault}), profile)
  const {events} = await setupOn(host.dir, {}, {}, profile)
  const warnings = events.filter(
    (event) => event.type === 'log' && event.level === 'warn' && event.step === 'base-images',
  )
  expect(warnings).toHaveLength(count)
  for (const warning of warnings)
    expect(JSON.stringify(warning)).toContain('no data from mcr.microsoft.com for 2 minutes')
})
