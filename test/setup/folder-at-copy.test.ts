// A folder where setup writes the copy of node.yaml.
import {expect, onTestFinished, test} from 'vitest'
import {recoverOn} from '../runs/recover-on.js'
import {statusOn} from '../status/status-on.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const NODE_YAML = String.raw`k\k8s-win\node.yaml`
const COPY = String.raw`k\k8s-win\node-copy.yaml`

test('review W3-7: a folder at the path of the copy is moved aside with what is in it, as often as there is one', async () => {
  const host = HostFolder.empty()
  onTestFinished(() => host.discard())
  expect((await setupOn(host.dir, {}, {}, 'ws2019')).result.exitCode).toBe(0)
  for (const aside of [`${COPY}.damaged`, `${COPY}.damaged-2`]) {
    host.remove(COPY)
    host.put(String.raw`${COPY}\theirs.txt`, aside)
    expect((await statusOn(host.dir)).document).toMatchObject({exitCode: 0, problems: []})
    expect((await recoverOn(host.dir)).result.exitCode).toBe(0)
    expect((await setupOn(host.dir)).result).toMatchObject({exitCode: 0})
    expect(host.read(COPY)).toBe(host.read(NODE_YAML))
    expect(host.read(String.raw`${aside}\theirs.txt`)).toBe(aside)
  }
  expect(host.journal.filter(({kind}) => kind === 'began')).toEqual([])
})
