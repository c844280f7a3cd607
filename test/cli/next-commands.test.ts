import {describe, expect, test} from 'vitest'
import {commandTyper} from '../../src/cli/next-commands.js'

describe('a command for the same node', () => {
  test('is as short as it can be', () => {
    expect(commandTyper('k8s-win', {}, 'win32')('setup', undefined)).toBe('k8s-win setup')
  })

  test('names the folder and the simulated machine, in quotes where a shell needs them', () => {
    const flags = {simulate: 'ws2019', 'simulate-dir': '/tmp/a b'}
    expect(commandTyper('npx k8s-win', flags, 'linux')('logs kubelet', String.raw`D:\k`)).toBe(
      String.raw`npx k8s-win logs kubelet --base-dir "D:\k" --simulate ws2019 --simulate-dir "/tmp/a b"`,
    )
    expect(commandTyper('k8s-win', {}, 'win32')('setup', String.raw`D:\k`)).toBe(
      String.raw`k8s-win setup --base-dir D:\k`,
    )
  })
})
