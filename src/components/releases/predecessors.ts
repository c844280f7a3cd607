// What earlier tools leave on a host: the original script (swapnil-nirmata/windows-nodes), Microsoft's scripts
// it came from (microsoft/SDN) and Rancher's (rancher/rancher, hyperkube.ps1). Only with --adopt is any of it touched.
import {win32} from 'node:path'
import {type Daemon, DAEMONS} from '../../config/daemons.js'
import {KUBELET} from '../../config/model.js'
import type {Reservation} from '../../host/ipam.js'

export interface FormerFile {
  /** Kept if it has contents: then a user wrote it. */
  readonly onlyEmpty?: true
  readonly path: string
}

/** What is removed before a service of k8s-win takes over. */
export interface Former {
  readonly files: readonly FormerFile[]
  /** Further services that run the same program. */
  readonly services: readonly string[]
}

/** Earlier tools use the same service names in another case, except these (SDN's register-svc.ps1). */
export const FORMER_SERVICES: readonly string[] = DAEMONS.flatMap(({formerNames}) => formerNames)

/** Wrapper programs, and files that nothing reads: above all a second net-conf.json. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  flanneld: ['FlannelDSvc.exe', 'net-conf.json', String.raw`cni\win-bridge.exe`],
  kubelet: ['KubeletSvc.exe', 'kubelet.conf', 'Dockerfile'],
  kubeproxy: ['KubeproxySvc.exe', 'kubeproxy.conf', 'sourceVip.json', 'sourceVipRequest.json'],
}

export function formerOf(baseDir: string, {formerNames, service}: Daemon): Former {
  const files: FormerFile[] = (FILES[service] ?? []).map((name) => ({path: win32.join(baseDir, name)}))
  // Made for a kubelet without --resolv-conf=; by one version of the script as a folder.
  if (service === KUBELET) files.push({onlyEmpty: true, path: String.raw`C:\etc\resolv.conf`})
  return {files, services: formerNames}
}

/**
 * Rules that open the same two ports. netsh identifies a rule by its display name (New-NetFirewallRule -DisplayName);
 * the name behind it (-Name) is here too, for those who gave it as both.
 */
export const FORMER_RULES: readonly string[] = [
  'KubeletAllow10250',
  'Kubelet10250TCP',
  'Kubelet API 10250 TCP',
  'OverlayTraffic4789UDP',
  'Overlay Traffic 4789 UDP',
]

/** Whom the original script, and SDN's, reserved kube-proxy's address for. */
export const FORMER_RESERVATION: Reservation = {id: 'dummy', interface: 'dummy'}
