// The base directory of a service, whatever was added to its command line.
import {expect, test} from 'vitest'
import {homeOfService, isSameHome} from '../../src/components/node-home.js'

const SHAWL = String.raw`"C:\k\k8s-win\bin\shawl.exe" run --name k8s-win -- C:\k\k8s-win\bin\k8s-win.exe`

test.each([
  [String.raw`${SHAWL} run-watch --base-dir=C:\k`, String.raw`C:\k`],
  [String.raw`${SHAWL} run-watch --base-dir=C:\k --verbose`, String.raw`C:\k`],
  [String.raw`${SHAWL} run-watch "--base-dir=C:\my node" more`, String.raw`C:\my node`],
  [String.raw`C:\tools\other.exe --base-dir=C:\k`, undefined],
])('review W3-9: %s', (imagePath, home) => {
  expect(homeOfService(imagePath)).toBe(home)
})

test.each([String.raw`C:\K`, 'c:/k', 'C:\\k\\'])('%s is C:\\k', (home) => {
  expect(isSameHome(home, String.raw`C:\k`)).toBe(true)
})
