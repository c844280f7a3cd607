// A repair by watch, killed at every effect, and run again: the node is healthy. npm test takes a spread of the states that a
// kill leaves.
import {expect, test} from 'vitest'
import type {RuntimeName} from '../../src/config/model.js'
import {BROKEN_NODES} from '../hosts/broken-nodes.js'
import {repairOn} from '../runs/watch/repair-on.js'
import {isWhole, sample} from '../sample.js'
import {setupOn} from '../setup/in-process.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {recordPoints, spread} from './kill-points.js'

/** Of the states that a kill leaves. */
const ASKED = isWhole ? Infinity : 1
const PROFILES: Readonly<Record<RuntimeName, string>> = {containerd: 'ws2022-containerd', docker: 'ws2019'}
const WELL = {exitCode: 0, problems: []}

const ROWS = ['all-dead', 'runtime-dead', 'lb-lost', 'old-pod-cidr', 'rebooted'].flatMap((id) =>
  BROKEN_NODES.filter((row) => row.id === id && row.ends === 'healthy').slice(0, 1),
)

test.each(
  sample(
    ROWS.flatMap((row) => row.runtimes.map((runtime) => ({id: row.id, row, runtime}))),
    4,
  ),
)(
  'the next repair completes what a killed one has left: $id, with $runtime',
  async ({row, runtime}) => {
    const profile = PROFILES[runtime]
    const host = HostFolder.empty()
    expect((await setupOn(host.dir, {}, {}, profile)).result.exitCode).toBe(0)
    await row.break(host)
    const {left} = await recordPoints(
      host,
      () => true,
      async (dir, wrap) => {
        expect(await repairOn(dir, {wrap})).toMatchObject(WELL)
      },
    )
    for (const {host: killed, points} of spread({left}, ASKED)) {
      const copy = killed.copy()
      expect(await repairOn(copy.dir), points[0]).toMatchObject(WELL)
      const {document} = await statusOn(copy.dir, {profile})
      expect({problems: document.problems, verdict: document.verdict}, points[0]).toEqual({
        problems: [],
        verdict: 'healthy',
      })
    }
  },
  isWhole ? 3_600_000 : 600_000,
)
