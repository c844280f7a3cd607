// Where everything is on the node.
import {win32} from 'node:path'
import type {Identity} from './model.js'

const {join} = win32

/** Where flanneld and host-local look by themselves: drive-less paths, which mean drive C for a service. */
export const NET_CONF = String.raw`C:\etc\kube-flannel\net-conf.json`
export const SUBNET_ENV = String.raw`C:\run\flannel\subnet.env`
export const IPAM_STORE = String.raw`C:\var\lib\cni\networks`
/** What the kubelet makes by itself, and what the CNI plugins make for pods. */
export const KUBELET_TREES: readonly string[] = [
  String.raw`C:\var\lib\kubelet`,
  String.raw`C:\var\lib\dockershim`,
  String.raw`C:\var\log\pods`,
  String.raw`C:\var\log\containers`,
  String.raw`C:\usr\libexec\kubernetes`,
]
export const CNI_TREES: readonly string[] = [String.raw`C:\var\lib\cni\cache`, String.raw`C:\var\lib\cni\flannel`]
export const NETSH = String.raw`C:\Windows\System32\netsh.exe`

export interface Layout {
  readonly binaries: string
  readonly clientCA: string
  readonly cniBinaries: string
  readonly cniConfig: string
  readonly cniConfigFolder: string
  readonly downloads: string
  readonly flanneld: string
  readonly hostLocal: string
  readonly journal: string
  readonly kubeconfig: string
  readonly kubeletConfig: string
  readonly logs: string
  readonly result: string
  readonly shawl: string
  readonly state: string
}

export function layoutOf(baseDir: string): Layout {
  const state = join(baseDir, 'k8s-win')
  const cniBinaries = join(baseDir, 'cni')
  const cniConfigFolder = join(cniBinaries, 'config')
  return {
    binaries: join(baseDir, 'kubernetes', 'node', 'bin'),
    clientCA: join(baseDir, 'client-ca.crt'),
    cniBinaries,
    cniConfig: join(cniConfigFolder, 'cni.conf'),
    cniConfigFolder,
    downloads: join(baseDir, 'downloads'),
    flanneld: join(baseDir, 'flanneld.exe'),
    hostLocal: join(cniBinaries, 'host-local.exe'),
    journal: join(state, 'journal.ndjson'),
    kubeconfig: join(baseDir, 'kubeconfig'),
    kubeletConfig: join(baseDir, 'kubelet-config.yaml'),
    logs: join(baseDir, 'logs'),
    result: join(state, 'result.json'),
    shawl: join(baseDir, 'shawl.exe'),
    state,
  }
}

/** Where a daemon's own kubeconfig is kept, if it was given one. */
export function identityFile(baseDir: string, identity: Identity): string {
  return join(baseDir, `${identity}.kubeconfig`)
}
