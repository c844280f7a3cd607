// Whether a bundle gets an access list: on a drive of Windows, however its path is spelled.
import {expect, test} from 'vitest'
import {isOnDrive} from '../../../src/cli/run/target-file.js'

test.each([
  [String.raw`C:\b.zip`, true],
  ['b.zip', true],
  [String.raw`\\?\C:\b.zip`, true],
  ['//?/c:/b.zip', true],
  [String.raw`\\server\share\b.zip`, false],
  [String.raw`\\?\UNC\server\share\b.zip`, false],
])('review S2-12: on a drive of Windows is %s: %s', (bundle, expected) => {
  expect(isOnDrive(bundle, undefined, 'win32')).toBe(expected)
  expect(isOnDrive(bundle, undefined, 'linux')).toBe(false)
})
