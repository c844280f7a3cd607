// The name of the smoke test's pod.
import {expect, it} from 'vitest'
import {smokePodName} from '../../src/components/smoke-pod.js'

it("review J12: the smoke pod's name ends in a letter or a digit, also where it is cut", () => {
  for (const end of ['.', '-', '.-']) {
    const name = smokePodName(`${'a'.repeat(238 - end.length)}${end}example.com`)
    expect(name.length).toBeLessThanOrEqual(253)
    expect(name).toMatch(/[a-z0-9]$/)
  }
  expect(smokePodName('win-1')).toBe('k8s-win-verify-win-1')
})
