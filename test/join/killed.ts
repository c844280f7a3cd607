// A node that joins with a token, killed at its effects: run again once, it has joined, the token is gone, and reset
// restores the host.
import {beforeAll, describe, expect, test} from 'vitest'
import {everyNth, keptOf, type Recording, recordPoints} from '../interruption/kill-points.js'
import {resetOn} from '../reset/reset-run.js'
import {differences, type WholeHost, wholeHost} from '../reset/whole-host.js'
import type {HostFolder} from '../steps/host-folder.js'
import {BOOTSTRAP_FILE, joiningHost, joinOn, placesOfToken, PROFILE} from './joining-host.js'

/** Of the states of the host, every n-th. */
export function describeKilledJoin(every: number): void {
  describe(`a node that joins, killed at every ${every}. state`, () => {
    let before: WholeHost
    let recording: Recording | undefined
    beforeAll(async () => {
      const host = await joiningHost()
      before = wholeHost(host)
      recording = await recordPoints(host, everyNth(every), async (dir, wrap) => {
        const {result} = await joinOn({dir} as HostFolder, {}, {wrap})
        expect(result.error).toBeUndefined()
      })
    }, 120_000)

    test('run again, it has joined; reset restores the host', async () => {
      const kept = keptOf(recording as Recording)
      expect(kept.length * every).toBeGreaterThan(100)
      for (const {host: killed, points} of kept) {
        const [host, where] = [killed.copy(), `killed ${String(points[0])}`]
        const {result} = await joinOn(host)
        expect(result, where).toMatchObject({exitCode: 0, node: {ready: true}})
        expect(host.has(BOOTSTRAP_FILE), where).toBe(false)
        expect(placesOfToken(host), where).toEqual([])
        expect((await resetOn(host.dir, {given: {purge: true}, profile: PROFILE})).result.error, where).toBeUndefined()
        host.edit(({cluster}) => {
          cluster.nodes = cluster.nodes.filter(({name}) => name !== 'win-1')
          Reflect.deleteProperty(cluster, 'certificateSigningRequests')
        })
        expect(differences(before, wholeHost(host)), where).toEqual([])
      }
    }, 1_200_000)
  })
}
