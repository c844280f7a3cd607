// What setup keeps for the next run: what was said of the node, and nothing else.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {readConfigFile} from '../../../src/config/options/config-file.js'
import {entriesOf, type GivenOptions, OPTIONS} from '../../../src/config/options/options.js'
import {storedText} from '../../../src/config/options/stored-config.js'
import {OPTION_ROWS} from '../option-rows.js'

const BASE = String.raw`C:\my node`
const ALWAYS = {
  apiVersion: 'k8s-win/v1',
  baseDir: BASE,
  clusterCIDR: '10.244.0.0/16',
  clusterDomain: 'cluster.local',
  kind: 'NodeConfig',
  serviceCIDR: '10.10.0.0/16',
  versions: {cni: '1.9.1', flannel: '0.28.9', flannelCNI: '1.9.1-flannel3'},
}
const stored = (given: GivenOptions): unknown => parse(storedText(given, BASE))

describe('what is stored', () => {
  it('are the versions, so that a newer k8s-win changes none by itself', () => {
    expect(stored({})).toEqual(ALWAYS)
    expect(stored({release: 'v1.22.17'})).toEqual({...ALWAYS, release: 'v1.22.17'})
  })

  it('is what was given', () => {
    expect(
      stored({
        'cluster-cidr': '10.1.0.0/16',
        'node-label': ['a=b=c', 'd='],
        taint: ['x:NoSchedule'],
        'nanoserver-tag': '1809',
      }),
    ).toEqual({
      ...ALWAYS,
      clusterCIDR: '10.1.0.0/16',
      images: {nanoserverTag: '1809'},
      nodeLabels: {a: 'b=c', d: ''},
      taints: ['x:NoSchedule'],
    })
  })

  it('of files is the place of our copy: the one that was given may be gone', () => {
    const given = {
      'client-ca-file': 'ca.pem',
      'flanneld-kubeconfig': 'f',
      'kube-proxy-kubeconfig': 'p',
      kubeconfig: 'k',
      'kubelet-kubeconfig': 'l',
      'registry-config': 'r',
    }
    expect(stored(given)).toEqual({
      ...ALWAYS,
      clientCAFile: String.raw`C:\my node\client-ca.crt`,
      flanneld: {kubeconfig: String.raw`C:\my node\flanneld.kubeconfig`},
      images: {registryConfig: String.raw`C:\my node\k8s-win\registries.json`},
      kubeProxy: {kubeconfig: String.raw`C:\my node\kube-proxy.kubeconfig`},
      kubelet: {kubeconfig: String.raw`C:\my node\kubelet.kubeconfig`},
    })
  })

  it('is nothing of a single run', () => {
    const flags = [
      'adopt',
      'allow-restart',
      'config',
      'dry-run',
      'enable-features',
      'ignore-check',
      'reset',
      'skip',
      'timeout',
      'yes',
    ] as const
    expect(stored(Object.fromEntries(flags.map((flag) => [flag, OPTION_ROWS[flag].valid[0]])))).toEqual(ALWAYS)
  })

  it('is read again as it was written', () => {
    const kept = OPTIONS.filter(
      ({flag, stored: rule}) => rule !== 'never' && rule !== 'copy' && flag !== 'base-dir',
    ).filter(({key}) => key !== undefined)
    fc.assert(
      fc.property(fc.subarray(kept), fc.nat(4), (options, index) => {
        const given = Object.fromEntries(
          options.map(({flag}) => [flag, OPTION_ROWS[flag].valid[index]]),
        ) as GivenOptions
        const again = readConfigFile(storedText(given, BASE), 'node.yaml', 'stored')
        expect(again.problems).toEqual([])
        for (const {flag, kind} of options)
          expect(entriesOf(again.given[flag], kind)).toEqual(entriesOf(given[flag], kind))
        expect(storedText(again.given, BASE)).toBe(storedText(given, BASE))
      }),
    )
  })
})
