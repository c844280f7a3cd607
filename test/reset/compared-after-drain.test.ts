// --drain evicts what the cluster knows. What runs besides ends only where somebody agreed to it.
import {expect, test} from 'vitest'
import {HttpError} from '../../src/machine/http.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {HostFolder} from '../steps/host-folder.js'
import {type ResetEnd, resetOn} from './reset-run.js'
import {CONTAINERD_PROFILE, setUpHost} from './set-up-host.js'

const {copy} = setUpHost({}, undefined, CONTAINERD_PROFILE)
const DRAIN = {drain: true, yes: false}

/** The list of pods is not answered before the node is cordoned, and after that as often as given. */
const silent =
  (answers = Infinity) =>
  (machine: Machine): Machine => {
    let [isCordoned, left] = [false, answers]
    return interceptMachine(machine, async ({args, what}, perform) => {
      const request = [what, ...args].join(' ')
      if (request.includes('PATCH') && request.includes('/nodes/')) isCordoned = true
      if (!request.includes('/pods?') || (isCordoned && left-- > 0)) return perform()
      throw new HttpError(request, 'ETIMEDOUT', 'nothing within 10 s')
    })
  }

function expectRefused({result}: ResetEnd, host: HostFolder, name: string): void {
  expect(result).toMatchObject({error: {id: 'RESET_ENDS_PODS'}, exitCode: 2})
  expect(result.error?.cause).toContain(name)
  expect(result.error?.fix).toContain('uncordon')
  expect(result.steps.filter(({id, state}) => id !== 'drain' && state !== 'not-run')).toEqual([])
  expect(host.world.services['kubelet']?.state).toBe('running')
}

test('review P3-2: what a drain does not evict is compared again after it, and named', async () => {
  const host = copy()
  host.edit(({containerd}) => {
    containerd.containers = [{id: 'web', image: '', isRunning: true, namespace: 'default'}]
  })
  const end = await resetOn(host.dir, {given: DRAIN, wrap: silent()})
  expectRefused(end, host, 'the container web in the namespace default')
})

test('review P3-2: so are the pods of a cluster that does not answer after the drain', async () => {
  const host = copy()
  const owner = {kind: 'DaemonSet', name: 'agent'}
  host.edit(({cluster}) => (cluster.pods = (cluster.pods ?? []).map((pod) => ({...pod, owner}))))
  expectRefused(await resetOn(host.dir, {given: DRAIN, wrap: silent(1)}), host, 'web/one, web/two')
})

test('review P3-2: where the drain has evicted all of them, the reset continues', async () => {
  expect((await resetOn(copy().dir, {given: DRAIN, wrap: silent()})).result).toMatchObject({exitCode: 0})
})
