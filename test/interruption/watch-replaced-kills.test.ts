// A setup with a newer k8s-win, killed at every effect, and run again: the service runs the newer program, also where it lies
// in a folder that is emptied, from which the first step copies it.
import {expect, test} from 'vitest'
import {OWN_PROGRAM} from '../../src/simulator/profiles/drive.js'
import {makeStandIn} from '../../src/simulator/mirror/stand-in.js'
import {runFrom} from '../fixtures/assets.js'
import {isWhole, turn} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recordPoints, spread} from './kill-points.js'

const COPY = String.raw`k\k8s-win\bin\k8s-win.exe`
/** Of the states that a kill leaves. */
const ASKED = isWhole ? Infinity : 1

test.each(turn([String.raw`C:\Program Files\newer\k8s-win.exe`, String.raw`C:\Windows\Temp\k8s-win.exe`], 0))(
  'the next setup completes what a killed one has left: %s',
  async (newer) => {
    const host = await HostFolder.fresh()
    const given = {'base-images': 'nanoserver'}
    expect((await setupOn(host.dir, given, {assets: runFrom(OWN_PROGRAM)})).result.exitCode).toBe(0)
    const before = host.world.services['k8s-win']?.startedAt ?? 0
    host.put(newer.slice(3), makeStandIn({name: 'k8s-win', version: 'v9.9.9'}))
    const assets = runFrom(newer)
    const {left} = await recordPoints(
      host,
      () => true,
      async (dir, wrap) => {
        expect((await setupOn(dir, given, {assets, wrap})).result).toMatchObject({exitCode: 0})
      },
    )
    expect(left.length).toBeGreaterThan(2)
    for (const {host: killed, points} of spread({left}, ASKED)) {
      const copy = killed.copy()
      const {result} = await setupOn(copy.dir, given, {assets})
      expect({error: result.error, exitCode: result.exitCode}, points[0]).toEqual({exitCode: 0})
      expect(copy.read(COPY), points[0]).toContain('v9.9.9')
      // Not what runs since before the program was replaced.
      expect(copy.world.services['k8s-win']?.startedAt, points[0]).toBeGreaterThan(before)
      expect((await statusOn(copy.dir)).document.verdict, points[0]).toBe('healthy')
    }
  },
  isWhole ? 3_600_000 : 120_000,
)
