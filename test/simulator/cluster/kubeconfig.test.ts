// Kubeconfigs of the simulated cluster, in the words of each release.
import {expect, it} from 'vitest'
import {clusterInfo, makeKubeconfig} from '../../../src/simulator/cluster/kubeconfig.js'
import {makeCluster} from '../../../src/simulator/profiles/cluster.js'

it.each([
  ['v1.21.5', true],
  ['v1.33.13', true],
  ['v1.34.2', false],
  ['v1.36.4', false],
])('review J13: client-go of %s writes preferences: %s', (version, isWritten) => {
  expect(makeKubeconfig('https://10.0.0.10:6443', undefined, version).includes('preferences: {}')).toBe(isWritten)
  const info = clusterInfo(makeCluster(version), 0)?.data['kubeconfig'] ?? ''
  expect([info.includes('kind: Config'), info.includes('preferences: {}')]).toEqual([true, isWritten])
})
