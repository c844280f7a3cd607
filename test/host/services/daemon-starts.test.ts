import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {readWrapped} from '../../../src/host/services/daemon-log.js'

const recorded = (name: string): string =>
  readFileSync(new URL(`../../transcripts/shawl/${name}.log`, import.meta.url), 'utf8')

describe("what shawl's own log says about its program", () => {
  test.each([
    ['service-restarted', {endedWith: 1, restarts: 2}],
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

  test('a log that does not reach back to its start reports nothing', () => {
    expect(readWrapped(recorded('service-restarted').split('\n').slice(1).join('\n'))).toBeUndefined()
    expect(readWrapped('')).toBeUndefined()
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
