// What others change on a node with containerd, by name.
import {COMMON_DAEMONS} from '../../src/config/daemons.js'
import {FITTING} from '../fixtures/present-containerd.js'
import {type Drift, fileChanged, fileGone, inWorld} from '../steps/drifts/drift.js'
import * as files from '../steps/drifts/files.js'
import {networkGone, nodeGone, nodeReadyDrifts} from '../steps/drifts/network.js'
import {serviceDrifts} from '../steps/drifts/services.js'
import {firewallRulesDrifts, machineEnvironmentDrifts} from '../steps/drifts/windows.js'
import type {Stage} from './acts.js'

const untagged = (part: string): Drift =>
  inWorld(`the image ${part} is gone`, ({containerd}) => {
    for (const image of containerd.images) image.tags = image.tags.filter((tag) => !tag.includes(part))
    containerd.images = containerd.images.filter(({tags}) => tags.length > 0)
  })

/** Not crictl and its file: without them a reset cannot remove the pods and says so (exit code 7). */
const common: readonly Drift[] = [
  ...files.kubernetesBinariesDrifts,
  ...files.flannelBinaryDrifts,
  ...files.netConfDrifts,
  ...files.kubeletConfigDrifts,
  ...firewallRulesDrifts,
  // A variable that a user has given another value is the user's, and stays.
  ...machineEnvironmentDrifts.filter(({name}) => name !== 'KUBECONFIG names another file'),
  ...COMMON_DAEMONS.flatMap(({service}) => serviceDrifts(service)),
  untagged('/pause:'),
  untagged('windows/nanoserver'),
  networkGone('vxlan0'),
  nodeGone,
  ...nodeReadyDrifts,
]

/** Of the containerd that k8s-win installs. */
const own: readonly Drift[] = [
  ...files.cniBinariesDrifts,
  ...serviceDrifts('containerd'),
  // With its CNI folders: after a restart containerd creates those that its file names, and a purge leaves others' folders.
  fileChanged(
    String.raw`k\containerd\config.toml`,
    `version = 2\n[plugins."io.containerd.grpc.v1.cri".cni]\nbin_dir = 'C:\\k\\cni'\nconf_dir = 'C:\\k\\cni\\config'\n`,
  ),
  fileGone(String.raw`k\containerd\config.toml`),
  fileChanged(String.raw`k\containerd\bin\containerd.exe`, 'MZ another program'),
  fileChanged(String.raw`k\containerd\bin\ctr.exe`, 'MZ another program'),
  fileGone(String.raw`k\containerd\bin\containerd-shim-runhcs-v1.exe`),
]

const OWN_CNI = {cniBinaries: String.raw`C:\k\cni`, cniConfigFolder: String.raw`C:\k\cni\config`}

export function driftsOf({present}: Stage): ReadonlyMap<string, Drift> {
  const {cniBinaries, cniConfigFolder} = present === undefined ? OWN_CNI : (FITTING[present]?.expected ?? OWN_CNI)
  const conflist = `${cniConfigFolder.slice('C:\\'.length)}\\10-flannel.conflist`
  const ofCni = [
    fileChanged(conflist, '{}'),
    fileGone(conflist),
    fileGone(`${cniBinaries.slice('C:\\'.length)}\\win-overlay.exe`),
  ]
  const all = [...common, ...ofCni, ...(present === undefined ? own : [])]
  return new Map(all.map((drift) => [drift.name, drift]))
}
