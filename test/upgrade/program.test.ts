// upgrade as people and scripts call it: the built program on a simulated host.
import {expect, test} from 'vitest'
import type {RunResultDocument} from '../../src/pipeline/run/events.js'
import {k8sWin} from '../cli/program.js'
import {setUpHost} from '../reset/set-up-host.js'

const {copyOnDisk} = setUpHost()

test.each<[string, string[], Record<string, string>, number]>([
  ['refused', [], {}, 3],
  ['evicted with --yes', ['--yes'], {}, 0],
  ['evicted with -Force', ['-Force'], {}, 0],
  ['evicted with K8S_WIN_YES', [], {K8S_WIN_YES: 'true'}, 0],
])('a pod without a controller is %s', async (_, more, environment, code) => {
  const host = copyOnDisk()
  host.edit(({cluster}) => (cluster.pods = [{name: 'alone', namespace: 'shop', node: 'win-1'}]))
  const args = ['upgrade', '--release', '1.21.9', '--drain', '--dry-run', '--json', ...more]
  const ended = await k8sWin(args, {K8S_WIN_SIMULATE: 'ws2019', K8S_WIN_SIMULATE_DIR: host.dir, ...environment})
  const {error, steps} = JSON.parse(ended.stdout) as RunResultDocument
  expect({code: ended.code, id: error?.id}).toEqual({code, id: code === 0 ? undefined : 'PODS_WITHOUT_CONTROLLER'})
  const evicted = steps.flatMap(({changes}) => changes).filter((change) => change.startsWith('evict'))
  expect(evicted).toEqual(code === 0 ? ['evict the pod shop/alone'] : [])
})
