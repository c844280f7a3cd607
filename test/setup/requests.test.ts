// What a new node asks of its API server, with the newest Kubernetes: the aims of bench/requests.ts.
import {expect, test} from 'vitest'
import {makeCluster} from '../../src/simulator/profiles/cluster.js'
import {HostFolder} from '../steps/host-folder.js'
import {setupOn} from './in-process.js'

const PROFILE = 'ws2025'
const SERVER = 'https://10.0.0.10:6443/'
const MOST = 48
const MOST_REVIEWS = 14

test('review K3-7: a setup with a kubeconfig asks no question of a certain answer', async () => {
  const host = await HostFolder.fresh(({cluster}) => Object.assign(cluster, makeCluster('v1.37.0')), PROFILE)
  const asked: string[] = []
  const {result} = await setupOn(
    host.dir,
    {'base-images': 'none'},
    {
      after: async ({args: [url = ''], via, what}) =>
        void (via === 'http' && url.startsWith(SERVER) && asked.push(`${what} ${url}`)),
    },
    PROFILE,
  )
  host.discard()
  expect(result.error).toBeUndefined()
  expect(asked.filter((one) => one.endsWith('/selfsubjectaccessreviews')).length).toBeLessThanOrEqual(MOST_REVIEWS)
  const forbidden = asked.filter((one) => one.includes('/daemonsets'))
  expect(forbidden).toHaveLength(1)
  expect(asked.length).toBeLessThanOrEqual(MOST)
})
