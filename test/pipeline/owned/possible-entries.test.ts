// Kind by kind: which entries a setup could have recorded, and which another account wrote.
import {describe, expect, it} from 'vitest'
import {HOST_NETWORK} from '../../../src/components/images.js'
import {KUBELET_KEYS} from '../../../src/config/layout.js'
import {PAUSE_IMAGE} from '../../../src/config/model.js'
import {setupConfig} from '../../fixtures/setup-config.js'
import type {StepId} from '../../../src/config/step-ids.js'
import type {JournalEntry} from '../../../src/pipeline/ledger/entries.js'
import {subjectOf} from '../../../src/pipeline/ledger/entries.js'
import {possibleEntries} from '../../../src/pipeline/owned/kinds.js'

const config = setupConfig()
const CLOSED = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'
const ID = `sha256:${'0a'.repeat(32)}`
const SERVERCORE = 'mcr.microsoft.com/windows/servercore:ltsc2019'
const ROUTE = {byHand: true, destination: '0.0.0.0/0', metric: 256, nextHop: '10.0.0.1', persistent: true}
const ADAPTER = {
  addresses: ['10.0.0.5/24'],
  dhcp: false,
  dnsByHand: true,
  dnsServers: ['10.0.0.2'],
  name: 'Ethernet',
  routes: [ROUTE],
}
const SNAPSHOT = [ADAPTER]
const BEFORE = {adapter: 'Ethernet', id: 'x', kind: 'network-before', snapshot: SNAPSHOT}
const DOWNLOADED = String.raw`C:\k\downloads\flanneld-v0.14.0.exe`
const PAUSE = `${PAUSE_IMAGE}:latest`
const KUBERNETES = String.raw`C:\k\downloads\kubernetes-node-windows-amd64-v1.21.0.tar.gz`
const PROOF = {build: 17_763, id: ID, image: SERVERCORE, kind: 'image-proof'}

const CONTAINERD_FOLDER = String.raw`C:\Program Files\containerd`
const PRESENT = {
  cniBinaries: `${CONTAINERD_FOLDER}\\cni\\bin`,
  cniConfigFolder: `${CONTAINERD_FOLDER}\\cni\\conf`,
  config: `${CONTAINERD_FOLDER}\\config.toml`,
  ctr: `${CONTAINERD_FOLDER}\\ctr.exe`,
  data: String.raw`D:\root`,
  kind: 'present-containerd',
  pipe: String.raw`\\.\pipe\containerd-containerd`,
  program: `${CONTAINERD_FOLDER}\\containerd.exe`,
  sandboxImage: 'registry.k8s.io/pause:3.9',
  service: 'containerd',
  version: '1.7.25',
}

const isPossible = (step: StepId, entry: object, baseDir = config.baseDir): boolean =>
  possibleEntries({...config, baseDir})({entry: entry as JournalEntry, step})

describe('an entry that setup records', () => {
  it.each<[StepId, object]>([
    ['base-dir', {kind: 'file', path: String.raw`C:\k\kubeconfig`}],
    [
      'base-dir',
      {kind: 'file', path: String.raw`c:\K\kubeconfig`, previous: String.raw`c:\K\kubeconfig.before-k8s-win`},
    ],
    ['cni-binaries', {kind: 'directory', path: String.raw`C:\k\cni`}],
    ['cni-binaries', {kind: 'directory', path: String.raw`C:\k`}],
    ['kubelet-service', {kind: 'tree', path: String.raw`C:\var\lib\kubelet`}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k`, previous: CLOSED}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k\logs\any.log`, previous: CLOSED}],
    ['kubelet-service', {kind: 'security', path: KUBELET_KEYS, previous: CLOSED}],
    ['overlay-network', {kind: 'network', name: 'vxlan0'}],
    ['overlay-network', BEFORE],
    ['overlay-network', {comparedAt: '2026-01-01T00:00:00.000Z', id: 'x', kind: 'network-verified'}],
    ['node-registered', {kind: 'node', name: 'win-1'}],
    ['source-vip', {kind: 'reservation', network: 'vxlan0', subnet: '10.244.3.0/24'}],
    ['machine-environment', {kind: 'environment', name: 'KUBECONFIG'}],
    ['machine-environment', {kind: 'environment', name: 'KUBECONFIG', previous: 'x'.repeat(32_767)}],
    ['machine-environment', {kind: 'environment-notified', isNotified: false}],
    ['machine-environment', {folder: String.raw`C:\K\kubernetes\node\bin`, kind: 'path-entry'}],
    ['kubelet-service', {kind: 'service', name: 'kubelet'}],
    ['kubelet-service', {kind: 'files-before', names: ['a'], path: KUBELET_KEYS}],
    ['flannel-binary', {kind: 'download', path: DOWNLOADED}],
    ['kubernetes-binaries', {kind: 'download', path: KUBERNETES}],
    ['pause-image', {id: ID, kind: 'image-tag', previousId: ID, reference: PAUSE}],
    ['pause-image', {kind: 'docker-network', name: HOST_NETWORK}],
    ['pause-image', {id: '0a'.repeat(32), kind: 'docker-network', name: HOST_NETWORK}],
    ['base-images', {kind: 'image-pull', reference: SERVERCORE}],
    ['base-images', {id: ID, kind: 'image-tag', reference: 'mcr.microsoft.com/windows/servercore:latest'}],
    ['base-images', PROOF],
    ['base-images', {...PROOF, digest: ID}],
    ['kubelet-config', {kind: 'configuration-read', name: 'kubelet', read: true}],
    ['containerd-service', {kind: 'root-opened', version: '2.3.4'}],
    ['containerd-service', {kind: 'root-opened', over: {modifiedMs: 1, version: '1.7.25'}, version: '2.3.4'}],
    ['base-dir', {kind: 'loss'}],
    ['base-dir', {kind: 'release', version: '1.36.4'}],
    ['base-dir', PRESENT],
  ])('%s %j is followed', (step, entry) => {
    expect(isPossible(step, entry)).toBe(true)
  })

  it('is the start type of a containerd that was there before, and of no other service', () => {
    const {containerd} = config
    const isFollowed = (more: object, isOurs = false): boolean =>
      possibleEntries({...config, containerd: {...containerd, isOurs}})({
        entry: {kind: 'start-type', name: 'containerd', previous: 'demand', ...more},
        step: 'containerd-service',
      })
    expect(isFollowed({})).toBe(true)
    expect([isFollowed({}, true), isFollowed({name: 'docker'}), isFollowed({previous: 'boot'})]).not.toContain(true)
  })
})

describe('an entry that it does not record', () => {
  it.each<[StepId, object]>([
    ['base-dir', {kind: 'constructor'}],
    ['base-dir', {kind: 'file', path: 5}],
    ['net-conf', {kind: 'file', path: String.raw`C:\k\kubeconfig`}],
    ['base-dir', {kind: 'file', path: String.raw`C:\k\kubeconfig`, previous: String.raw`C:\k\theirs`}],
    ['cni-binaries', {kind: 'directory', path: 5}],
    ['cni-binaries', {kind: 'directory', path: 'C:\\'}],
    ['cni-binaries', {kind: 'directory', path: String.raw`C:\var`}],
    ['node-ready', {kind: 'directory', path: String.raw`C:\k`}],
    ['kubelet-service', {kind: 'tree', path: 5}],
    ['flanneld-service', {kind: 'tree', path: String.raw`C:\var\lib\kubelet`}],
    ['base-dir', {kind: 'security', path: 5, previous: CLOSED}],
    ['base-dir', {kind: 'security', path: KUBELET_KEYS, previous: 5}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k`, previous: 'nonsense'}],
    ['base-dir', {kind: 'security', path: String.raw`C:\Windows`, previous: CLOSED}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k\logs\..\..\Windows`, previous: CLOSED}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k\logs\a:stream`, previous: CLOSED}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k\logs\a.`, previous: CLOSED}],
    ['kubelet-service', {kind: 'security', path: String.raw`C:\k`, previous: CLOSED}],
    ['overlay-network', {kind: 'network', name: 'nat'}],
    ['external-network', {kind: 'network', name: 'vxlan0'}],
    ['overlay-network', {...BEFORE, adapter: 5}],
    ['overlay-network', {...BEFORE, id: undefined}],
    ['overlay-network', {...BEFORE, snapshot: null}],
    ['overlay-network', {...BEFORE, snapshot: 'x'}],
    ['overlay-network', {...BEFORE, snapshot: undefined}],
    ['overlay-network', {...BEFORE, snapshot: [{...ADAPTER, routes: [5]}]}],
    ['overlay-network', {...BEFORE, snapshot: [{...ADAPTER, routes: [{...ROUTE, nextHop: '10.0.0.1 store=active'}]}]}],
    ['overlay-network', {...BEFORE, snapshot: [{...ADAPTER, routes: [{...ROUTE, metric: -1}]}]}],
    ['overlay-network', {...BEFORE, snapshot: [{...ADAPTER, addresses: ['10.0.0.5']}]}],
    ['overlay-network', {...BEFORE, snapshot: [{...ADAPTER, dnsServers: ['evil']}]}],
    ['overlay-network', {id: 'x', kind: 'network-verified'}],
    ['overlay-network', {comparedAt: 'x', id: 'x', kind: 'network-verified'}],
    ['node-registered', {kind: 'node', name: 5}],
    ['node-registered', {kind: 'node', name: '../x'}],
    ['source-vip', {kind: 'reservation', network: 'vxlan0', subnet: 5}],
    ['source-vip', {kind: 'reservation', network: 'vxlan0', subnet: 'x'}],
    ['source-vip', {kind: 'reservation', network: 'nat', subnet: '10.244.3.0/24'}],
    ['machine-environment', {kind: 'environment', name: 'Path'}],
    ['machine-environment', {kind: 'environment', name: 'KUBECONFIG', previous: 5}],
    ['machine-environment', {kind: 'environment', name: 'KUBECONFIG', previous: 'x'.repeat(32_768)}],
    ['machine-environment', {kind: 'environment', name: 'KUBECONFIG', previous: 'a\0b'}],
    ['machine-environment', {kind: 'environment-notified', isNotified: 'yes'}],
    ['machine-environment', {folder: String.raw`C:\Windows`, kind: 'path-entry'}],
    ['machine-environment', {folder: 5, kind: 'path-entry'}],
    ['kubelet-service', {kind: 'service', name: 'docker'}],
    ['flanneld-service', {kind: 'service', name: 'kubelet'}],
    ['firewall-rules', {kind: 'firewall-rule', name: 'theirs'}],
    ['kubelet-service', {kind: 'files-before', names: [5], path: KUBELET_KEYS}],
    ['kubelet-service', {kind: 'files-before', names: 'a', path: KUBELET_KEYS}],
    ['kubelet-service', {kind: 'files-before', names: [], path: String.raw`C:\k`}],
    ['kubelet-service', {kind: 'files-before', names: [], path: 5}],
    ['cni-binaries', {kind: 'download', path: DOWNLOADED}],
    ['flannel-binary', {kind: 'download', path: String.raw`C:\k\downloads\theirs.exe`}],
    ['flannel-binary', {kind: 'download', path: String.raw`C:\k\flanneld-v0.14.0.exe`}],
    ['flannel-binary', {kind: 'download', path: 5}],
    ['flannel-binary', {kind: 'download', path: KUBERNETES}],
    // A list with one text reads like that text.
    ['machine-environment', {kind: 'environment', name: 'KUBECONFIG', previous: ['x']}],
    ['base-dir', {kind: 'security', path: String.raw`C:\k`, previous: [CLOSED]}],
    ['source-vip', {kind: 'reservation', network: 'vxlan0', subnet: ['10.244.3.0/24']}],
    ['base-images', {kind: 'image-pull', reference: [SERVERCORE]}],
    ['pause-image', {id: [ID], kind: 'image-tag', reference: PAUSE}],
    ['pause-image', {id: ['0a'.repeat(32)], kind: 'docker-network', name: HOST_NETWORK}],
    ['pause-image', {id: 'x', kind: 'docker-network', name: HOST_NETWORK}],
    ['base-images', {kind: 'image-pull', reference: 'theirs:1'}],
    ['base-images', {id: ID, kind: 'image-tag', reference: SERVERCORE}],
    ['base-images', {id: 'x', kind: 'image-tag', reference: 'mcr.microsoft.com/windows/servercore:latest'}],
    ['pause-image', {id: ID, kind: 'image-tag', reference: 'mcr.microsoft.com/windows/servercore:latest'}],
    ['pause-image', {kind: 'docker-network', name: 'nat'}],
    ['base-images', {...PROOF, build: '17763'}],
    ['base-images', {...PROOF, id: 'x'}],
    ['base-images', {...PROOF, image: 'theirs:1'}],
    ['base-images', {...PROOF, digest: 'x'}],
    ['kubelet-config', {kind: 'configuration-read', name: 'kubelet', read: 'yes'}],
    ['containerd-service', {kind: 'root-opened', version: 'new'}],
    ['containerd-service', {kind: 'root-opened', over: {modifiedMs: 1}, version: '2.3.4'}],
    ['containerd-binaries', {kind: 'root-opened', version: '2.3.4'}],
    ['base-dir', {kind: 'release', version: ['1.36.4']}],
    ['base-dir', {kind: 'release', version: 'v1.36.4'}],
    ['kubernetes-binaries', {kind: 'release', version: '1.36.4'}],
    ['containerd-config', PRESENT],
    ['base-dir', {...PRESENT, cniBinaries: String.raw`\\server\share`}],
    ['base-dir', {...PRESENT, cniConfigFolder: String.raw`C:\a\..\Windows`}],
    ['base-dir', {...PRESENT, data: 'C:\\'}],
    ['base-dir', {...PRESENT, pipe: 'tcp://10.0.0.9'}],
    ['base-dir', {...PRESENT, version: 5}],
    // Only of a containerd that was there before.
    [
      'containerd-config',
      {
        kind: 'file',
        path: String.raw`C:\k\cni\config\0-nat.conf`,
        previous: String.raw`C:\k\cni\config\0-nat.conf.before-k8s-win`,
      },
    ],
    ['net-conf', {kind: 'configuration-read', name: 'kubelet', read: true}],
  ])('%s %j is refused', (step, entry) => {
    expect(isPossible(step, entry)).toBe(false)
  })

  it('the access list of a drive is not set, be it the base directory', () => {
    expect(isPossible('base-dir', {kind: 'security', path: 'D:\\', previous: CLOSED}, 'D:\\')).toBe(false)
  })
})

it('entries are about the same thing where kind and name are the same, in any letters', () => {
  const file = subjectOf({kind: 'file', path: String.raw`C:\k\A`})
  expect(subjectOf({kind: 'file', path: String.raw`c:\K\a`, sha256: '00'})).toBe(file)
  expect(subjectOf({kind: 'file', path: String.raw`C:\k\B`})).not.toBe(file)
  expect(subjectOf({kind: 'directory', path: String.raw`C:\k\A`})).not.toBe(file)
  expect(subjectOf({kind: 'file', path: 5} as unknown as JournalEntry)).toBe('file ')
  expect(subjectOf({kind: 'theirs', path: 'x'} as unknown as JournalEntry)).toBe('theirs ')
})
