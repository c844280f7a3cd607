// recover, killed at every effect, and run again: the node is healthy. npm test takes a spread of the states that a kill leaves.
import {expect, test} from 'vitest'
import {recoverOn} from '../runs/recover-on.js'
import {isWhole} from '../sample.js'
import {healthyNode, lookAt} from '../status/look.js'
import {halt} from '../steps/drifts/services.js'
import {recordPoints} from './kill-points.js'

const EVERY = isWhole ? 1 : 12
const FEWEST_STATES = 10

test('the next recover repairs what a killed one has left', async () => {
  const host = await healthyNode()
  host.edit((world) => {
    for (const name of ['kubelet', 'flanneld', 'kubeproxy']) {
      const entry = world.services[name]
      if (entry) halt(entry, world)
    }
  })
  host.put(String.raw`k\kubelet-config.yaml`, 'authentication: {anonymous: {enabled: true}}\n')
  host.put(String.raw`k\flanneld.exe`, 'MZ another program')
  const {left} = await recordPoints(
    host,
    (nth) => nth % EVERY === 0,
    async (dir, wrap) => {
      expect((await recoverOn(dir, {wrap})).result).toMatchObject({exitCode: 0})
    },
  )
  expect(left.length).toBeGreaterThan(FEWEST_STATES)
  for (const {host: killed, points} of left) {
    if (!killed) continue
    const copy = killed.copy()
    const {result} = await recoverOn(copy.dir)
    expect({error: result.error, exitCode: result.exitCode}, points[0]).toEqual({exitCode: 0})
    expect((await lookAt(copy.dir)).document.verdict, points[0]).toBe('healthy')
  }
}, 600_000)
