import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {readWrapped} from '../../../src/host/services/daemon-log.js'

const recorded = (name: string): string =>
  readFileSync(new URL(`../../transcripts/shawl/${name}.log`, import.meta.url), 'utf8')

describe("what shawl's own log says about its program", () => {
  test.each([
    ['service-restarted', {endedWith: 1, keepsEndingWith: 1, restarts: 2}],
    ['service-ended-with-3', {endedWith: 3, restarts: 0}],
    ['service-ended-with-0', {endedWith: 0, restarts: 0}],
  ])('as the real one wrote it: %s', (name, told) => {
    expect(readWrapped(recorded(name))).toEqual(told)
  })

  test('a program that runs has not ended', () => {
    const text = recorded('service-restarted').split(/\r?\n/).slice(0, 8).join('\r\n')
    expect(readWrapped(text)).toEqual({restarts: 2})
  })

  test('only what came after its last start counts', () => {
    expect(readWrapped(`${recorded('service-restarted')}${recorded('service-ended-with-3')}`)).toEqual({
      endedWith: 3,
      restarts: 0,
    })
  })

  test('a log that does not reach back to its start does not say how often', () => {
    const later = recorded('service-restarted').split('\n').slice(1).join('\n')
    expect(readWrapped(later)).toMatchObject({endedWith: 1})
    expect(readWrapped(later)).not.toHaveProperty('restarts')
    expect(readWrapped('')).toBeUndefined()
  })

  describe('a program that ended at once, and again, until the network was there', () => {
    const seconds = (count: number): string => `2026-11-15 06:08:${String(count).padStart(2, '0')}`
    const launch = (at: number): string => `${seconds(at)} [INFO] Launching command`
    const started = (at: number): string =>
      `${seconds(at)} [DEBUG] stderr: "I1115 06:08:15.434000    2048 main.go:400] Running backend."`
    const ends = (at: number): string => `${seconds(at)} [INFO] Command exited with code 1`
    const [ended, endedStarted] = [
      [launch, ends],
      [launch, started, ends],
    ] as const
    const codeOf = (...runs: readonly (readonly ((at: number) => string)[])[]): number | undefined =>
      readWrapped(
        runs
          .flat()
          .map((line, at) => line(at))
          .join('\n'),
      )?.keepsEndingWith

    test('keeps ending as long as it has not started', () => {
      expect(codeOf(ended, ended, ended, [launch])).toBe(1)
    })

    test('works once it has', () => {
      expect(codeOf(ended, ended, ended, [launch, started])).toBeUndefined()
    })

    test('keeps ending if it also does so when it has started', () => {
      expect(codeOf(ended, ended, ended, endedStarted, endedStarted, endedStarted, [launch])).toBe(1)
      expect(codeOf(endedStarted, endedStarted, endedStarted, [launch, started])).toBe(1)
    })
  })

  test('what the program itself writes is not taken for shawl', () => {
    const lines = [
      '2026-11-15 06:08:15 [DEBUG] ********** LAUNCH **********',
      '2026-11-15 06:08:15 [INFO] Launching command',
      '2026-11-15 06:08:16 [DEBUG] stderr: "[INFO] Command exited with code 9"',
      '2026-11-15 06:08:16 [DEBUG] stderr: "2026-11-15 06:08:15 [INFO] Launching command"',
    ]
    expect(readWrapped(lines.join('\n'))).toEqual({restarts: 0})
  })
})
