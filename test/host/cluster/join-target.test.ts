import {stringify} from 'yaml'
import {describe, expect, it} from 'vitest'
import {targetInClusterInfo, targetInKubeconfig} from '../../../src/host/cluster/join-target.js'
import {pem} from './loopback-cluster.js'

/** openssl x509 -pubkey -noout -in ca.pem | openssl pkey -pubin -outform der | sha256sum */
const PINS = {
  ca: 'sha256:b896efb585a6e567991447dc2f1f390c4a46d837288e5397f72a0349ab01f7aa',
  intermediate: 'sha256:c64c12471f7366f155973de1598eaa5baee6684b887ba0f0f6367551c0ed941e',
}
const PUBLISHED = 'https://10.0.0.10:6443'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const infoWith = (cluster: object): string =>
  stringify({apiVersion: 'v1', clusters: [{cluster, name: ''}], contexts: null, 'current-context': '', kind: 'Config'})

describe('the pins', () => {
  it('are of every authority, once, as openssl has them', () => {
    const ca = [pem('ca.pem'), pem('intermediate.pem'), pem('ca.pem')].join('\n')
    expect(targetInKubeconfig({ca, server: PUBLISHED})?.caCertHashes).toEqual([PINS.ca, PINS.intermediate])
  })
})

describe('cluster-info', () => {
  const data = {'certificate-authority-data': base64(pem('ca.pem'))}

  it.each([
    ['https://10.0.0.10:6443', 'https://10.0.0.10:6443'],
    ['https://API.example.com:6443/', 'https://api.example.com:6443'],
    // setup demands a port.
    ['https://api.example.com', 'https://api.example.com:443'],
  ])('with the server %s', (server, expected) => {
    expect(targetInClusterInfo(infoWith({...data, server}))).toEqual({caCertHashes: [PINS.ca], server: expected})
  })

  it.each([
    ['no server', {...data}],
    ['no authority', {server: 'https://10.0.0.10:6443'}],
    ['an authority that is none', {'certificate-authority-data': base64('x'), server: 'https://10.0.0.10:6443'}],
    ['http', {...data, server: 'http://10.0.0.10:6443'}],
    ['a path', {...data, server: 'https://10.0.0.10:6443/k8s/clusters/c-1'}],
    ['IPv6', {...data, server: 'https://[fd00::1]:6443'}],
    ['a user', {...data, server: 'https://me@10.0.0.10:6443'}],
    ['a name that a shell would run', {...data, server: 'https://$(calc):6443'}],
    ['another such name', {...data, server: "https://a';calc':6443"}],
  ])('with %s is of no use', (_, cluster) => {
    expect(targetInClusterInfo(infoWith(cluster))).toBeUndefined()
  })

  it.each(['', 'x', '[]', '{', 'clusters: 1', 'clusters: [1]', '\0'])(
    'that is no kubeconfig (%j) is of no use',
    (text) => {
      expect(targetInClusterInfo(text)).toBeUndefined()
    },
  )
})

describe('a kubeconfig', () => {
  it('without an authority has no pin', () => {
    expect(targetInKubeconfig({server: 'https://api.example.com'})).toEqual({
      caCertHashes: [],
      server: 'https://api.example.com:443',
    })
  })

  it('whose server has a path is of no use to a node', () => {
    expect(
      targetInKubeconfig({ca: pem('ca.pem'), server: 'https://rancher.example.com/k8s/clusters/c-1'}),
    ).toBeUndefined()
  })
})
