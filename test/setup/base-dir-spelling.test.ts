import {expect, test} from 'vitest'
import {flanneldArtifact} from '../../src/artifacts/catalog.js'
import {setupConfig} from '../fixtures/setup-config.js'
import {setupOn} from './in-process.js'
import {HostFolder} from '../steps/host-folder.js'

const SPELLINGS = [String.raw`C:\K`, String.raw`c:\k`, 'C:/K/', String.raw`C:\x\..\K`]
const FLANNELD = flanneldArtifact(setupConfig()).url

test('the base directory in other letters is the same place: nothing changes, no service is registered anew', async () => {
  const host = await HostFolder.fresh()
  await setupOn(host.dir, {'base-dir': String.raw`c:\k`})
  const before = host.state
  for (const spelling of SPELLINGS) {
    const {result} = await setupOn(host.dir, {'base-dir': spelling})
    expect(result.recap).toEqual({changed: 0, failed: 0, ok: 19, skipped: 0})
  }
  expect(host.state).toEqual(before)
})

test('also where the first setup did not finish', async () => {
  const host = await HostFolder.fresh(({downloads}) => (downloads[FLANNELD] = {fault: 'wrong-bytes'}))
  const first = await setupOn(host.dir, {'base-dir': String.raw`c:\k`})
  expect(first.result.error?.id).toBe('WRONG_DIGEST')
  host.edit(({downloads}) => delete downloads[FLANNELD])
  const second = await setupOn(host.dir, {'base-dir': String.raw`C:\K`})
  expect(second.result.outcome).toBe('done')
  expect(JSON.stringify(host.journal)).not.toMatch(/before-k8s-win|C:\\\\K\\\\/)
  const third = await setupOn(host.dir, {'base-dir': String.raw`c:\k`})
  expect(third.result.recap).toEqual({changed: 0, failed: 0, ok: 19, skipped: 0})
})
