// Which exec plugins a daemon can use, by its release: as the simulated daemons judge, and as the sources say.
import {describe, expect, it} from 'vitest'
import {execProblem} from '../../../src/components/releases/exec-versions.js'
import type {Identity} from '../../../src/config/model.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import {parseVersion} from '../../../src/simulator/daemons/daemon.js'
import {flannelClientGo, unknownExec} from '../../../src/simulator/daemons/kubeconfig.js'

const VERSIONS = ['v1alpha1', 'v1beta1', 'v1'] as const
const apiVersionOf = (version: string): string => `client.authentication.k8s.io/${version}`

const refusedBy = (identity: Identity, release: string, flannel: string): string[] => {
  const config = setupConfig({'flannel-version': flannel, release})
  return VERSIONS.filter((version) => {
    const exec = {apiVersion: apiVersionOf(version), args: [], command: 'p', env: {}, provideClusterInfo: false}
    return execProblem(config, identity, {exec}) !== undefined
  })
}

describe('review K5: an exec plugin whose apiVersion the daemon does not know is refused', () => {
  it.each<[Identity, string, string, string[]]>([
    ['kubelet', '1.21.5', '0.28.9', ['v1']],
    ['kube-proxy', '1.21.5', '0.28.9', ['v1']],
    ['flanneld', '1.21.5', '0.28.9', ['v1alpha1']],
    ['kubelet', '1.22.17', '0.28.9', []],
    ['kube-proxy', '1.23.17', '0.28.9', []],
    ['flanneld', '1.23.17', '0.20.0', ['v1alpha1']],
    ['flanneld', '1.23.17', '0.19.2', ['v1']],
    ['flanneld', '1.23.17', '0.14.0', ['v1']],
    ['flanneld', '1.23.17', '0.13.0', ['v1alpha1', 'v1beta1', 'v1']],
  ])('%s with Kubernetes %s and flannel %s: %j', (identity, release, flannel, refused) => {
    expect(refusedBy(identity, release, flannel)).toEqual(refused)
    const clientGo = identity === 'flanneld' ? flannelClientGo(parseVersion(flannel)) : parseVersion(release).minor
    // The oldest flannel does not know the word at all: its requests are anonymous.
    const ends = VERSIONS.filter((version) => unknownExec({apiVersion: apiVersionOf(version)}, clientGo) !== undefined)
    expect(ends).toEqual(clientGo === 3 ? [] : refused)
  })

  it('a kubeconfig without a plugin is not', () => {
    expect(execProblem(setupConfig(), 'kubelet', {})).toBeUndefined()
  })
})
