// What happens to the files a node is made of.
import {type Drift, fileChanged, fileGone, inWorld} from './drift.js'

export const baseDirDrifts: readonly Drift[] = [
  inWorld('everybody may add to the base directory', (world) => {
    world.security[String.raw`c:\k`] = 'O:BAD:AI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;CI;DCLC;;;WD)'
  }),
  inWorld('users may read the kubeconfig', (world) => {
    world.security[String.raw`c:\k\kubeconfig`] = 'O:BAD:PAI(A;;FA;;;SY)(A;;FA;;;BA)(A;;FR;;;BU)'
  }),
  inWorld('users may read the base directory', (world) => {
    world.security[String.raw`c:\k`] = 'O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FRFX;;;BU)'
  }),
]

export const givenKubeconfigDrifts: readonly Drift[] = [
  fileGone(String.raw`node\kubeconfig`),
  fileChanged(String.raw`node\kubeconfig`, 'apiVersion: v1\nkind: Config\n'),
]

const binary = (name: string): string => String.raw`k\kubernetes\node\bin` + `\\${name}.exe`

export const kubernetesBinariesDrifts: readonly Drift[] = [
  fileGone(binary('kubectl')),
  fileChanged(binary('kubelet'), 'MZ another program'),
  fileChanged(binary('kube-proxy'), ''),
  fileGone('k\\kubernetes'),
]

export const cniBinariesDrifts: readonly Drift[] = [
  fileGone(String.raw`k\cni\host-local.exe`),
  fileChanged(String.raw`k\cni\win-overlay.exe`, 'MZ another program'),
  fileGone(String.raw`k\cni\flannel.exe`),
]

export const flannelBinaryDrifts: readonly Drift[] = [
  fileGone(String.raw`k\flanneld.exe`),
  fileChanged(String.raw`k\flanneld.exe`, 'MZ another program'),
  fileChanged(String.raw`k\shawl.exe`, 'MZ another program'),
  fileGone(String.raw`k\shawl.exe`),
]

export const netConfDrifts: readonly Drift[] = [
  fileGone(String.raw`etc\kube-flannel\net-conf.json`),
  fileGone('etc'),
  fileChanged(
    String.raw`etc\kube-flannel\net-conf.json`,
    '{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan","VNI":1,"Port":8472}}\n',
  ),
]

export const kubeletConfigDrifts: readonly Drift[] = [
  fileGone(String.raw`k\kubelet-config.yaml`),
  fileChanged(String.raw`k\kubelet-config.yaml`, 'authentication: {anonymous: {enabled: true}}\n'),
  fileChanged(String.raw`k\client-ca.crt`, 'no certificate'),
  fileGone(String.raw`k\client-ca.crt`),
]

export const cniConfigDrifts: readonly Drift[] = [
  fileGone(String.raw`k\cni\config\cni.conf`),
  fileChanged(String.raw`k\cni\config\cni.conf`, '{"name":"cbr0","type":"flannel"}'),
  fileGone(String.raw`k\cni\config`),
]
