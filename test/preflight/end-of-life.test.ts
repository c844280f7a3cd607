// The end of upstream's support of a release: one warning in setup, status and doctor, from the day after on.
import {expect, test} from 'vitest'
import {examine, setUpNode} from '../doctor/doctor-rig.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'

test.each([
  ['2022-06-28', []],
  ['2022-06-30', ['release-windows']],
])('review U2-7: on %s Kubernetes 1.21 has the warnings %j, in setup, status and doctor alike', async (day, warned) => {
  const host = await setUpNode(({os}) => (os.time = Date.parse(`${day}T12:00:00Z`)))
  const {document} = await statusOn(host.dir)
  expect([document.verdict, document.exitCode, document.warnings.length]).toEqual(['healthy', 0, warned.length])
  expect(Object.keys((await examine(host)).notable)).toEqual(warned)
  const {result} = await setupOn(host.dir)
  expect(result.exitCode).toBe(0)
  expect(result.checks.filter((check) => check.result === 'warn').map(({id}) => id)).toEqual(warned)
})
