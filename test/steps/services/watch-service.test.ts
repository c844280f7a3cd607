import {beforeAll, describe, expect, test} from 'vitest'
import {OWN_PROGRAM} from '../../../src/simulator/profiles/drive.js'
import {watchServiceStep} from '../../../src/steps/services/watch-service.js'
import {runFrom} from '../../fixtures/assets.js'
import {fileGone} from '../drifts/drift.js'
import {serviceDrifts} from '../drifts/services.js'
import {describeStep} from '../five-tests.js'
import {HostFolder} from '../host-folder.js'
import {Rig} from '../rig.js'

const assets = runFrom(OWN_PROGRAM)
const METRICS = String.raw`C:\Windows\k8s-win.prom`
const OTHER = String.raw`C:\Windows\other.prom`
const HEALTH = String.raw`k\k8s-win\health.json`
const WATCHED = {'metrics-file': METRICS, watch: 'true'}

describeStep(watchServiceStep, {
  assets,
  // It has no environment of its own.
  drifts: [
    ...serviceDrifts('k8s-win').filter(({name}) => !name.includes('environment')),
    fileGone(String.raw`Windows\k8s-win.prom`),
  ],
  given: WATCHED,
})

describe('the file of metrics', () => {
  const before = HostFolder.empty()
  beforeAll(async () => {
    await (await Rig.open({assets, dir: before.dir, given: WATCHED})).runBefore('watch-service')
  }, 180_000)

  /** After a run of the step with each of these options. */
  async function after(host: HostFolder, ...runs: readonly Record<string, string>[]): Promise<string[]> {
    for (const given of runs) {
      const rig = await Rig.open({assets, dir: host.dir, given})
      expect((await rig.run(watchServiceStep)).error).toBeUndefined()
      expect((await rig.inspect(watchServiceStep)).state).toBe('in-place')
    }
    return [METRICS, OTHER].filter((path) => host.has(path.slice(3)))
  }

  test('is another one: the first is removed', async () => {
    const host = before.copy()
    expect(await after(host, WATCHED)).toEqual([METRICS])
    expect(await after(host, {...WATCHED, 'metrics-file': OTHER})).toEqual([OTHER])
    expect(await after(host, {...WATCHED, 'metrics-file': 'none'})).toEqual([])
    expect(await after(host, {watch: 'true'})).toEqual([])
  })

  test('is removed with the service, and health.json too', async () => {
    const host = before.copy()
    await after(host, WATCHED)
    host.put(HEALTH, '{}')
    expect(await after(host, {...WATCHED, watch: 'false'})).toEqual([])
    expect(host.has(HEALTH)).toBe(false)
    expect(host.world.services).not.toHaveProperty('k8s-win')
  })

  test('that was there before is kept aside, and restored', async () => {
    const host = before.copy()
    host.put(METRICS.slice(3), 'mine')
    await after(host, WATCHED, WATCHED)
    expect(host.read(METRICS.slice(3))).not.toBe('mine')
    await after(host, {...WATCHED, watch: 'false'})
    expect(host.read(METRICS.slice(3))).toBe('mine')
  })
})
