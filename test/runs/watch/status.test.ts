import {beforeAll, describe, expect, it} from 'vitest'
import {healthyNode, lookAt} from '../../status/look.js'
import type {HostFolder} from '../../steps/host-folder.js'

const HEALTH = String.raw`k\k8s-win\health.json`
const STORED = String.raw`k\k8s-win\node.yaml`

let node: HostFolder
beforeAll(async () => {
  node = await healthyNode()
})

/** `age`: of what the service has written. */
function watched(age: number): HostFolder {
  const host = node.copy()
  const text = host.read(STORED).replace(/^watch:\n(?: .*\n)*/m, '')
  host.put(STORED, `${text.trimEnd()}\nwatch:\n  enabled: true\n`)
  const at = new Date(host.world.os.time - age).toISOString()
  const document = {at, problems: [], repairs: [], schemaVersion: 1, since: at, simulated: true, verdict: 'healthy'}
  host.put(HEALTH, JSON.stringify(document))
  return host
}

describe('status of a node that is watched', () => {
  it.each([
    [0, false],
    [15 * 60_000, true],
  ])('has what the service wrote %i ms ago', async (age, stale) => {
    const {document} = await lookAt(watched(age).dir)
    expect(document.watch).toMatchObject({stale, verdict: 'healthy'})
  })

  it.each(['', '{"verdict":"healthy"}'])('has none where health.json is damaged: %s', async (text) => {
    const host = watched(0)
    host.put(HEALTH, text)
    expect((await lookAt(host.dir)).document.watch).toBeNull()
  })

  it('says nothing of it where the node is not watched', async () => {
    const host = watched(0)
    host.put(STORED, host.read(STORED).replace('enabled: true', 'enabled: false'))
    expect((await lookAt(host.dir)).document).not.toHaveProperty('watch')
  })
})
