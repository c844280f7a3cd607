// Everything that can go wrong on a node, in one list.
import type {Drift} from './drift.js'
import * as files from './files.js'
import {baseImagesDrifts, pauseImageDrifts} from './images.js'
import {nodeGone, nodeReadyDrifts, overlayNetworkDrifts, podNetworkChanged, sourceVipDrifts} from './network.js'
import {serviceDrifts} from './services.js'
import {firewallRulesDrifts, machineEnvironmentDrifts} from './windows.js'

export const DRIFTS: readonly Drift[] = [
  ...files.baseDirDrifts,
  ...baseImagesDrifts,
  ...pauseImageDrifts,
  ...files.kubernetesBinariesDrifts,
  ...files.cniBinariesDrifts,
  ...files.flannelBinaryDrifts,
  ...machineEnvironmentDrifts,
  ...files.netConfDrifts,
  ...files.kubeletConfigDrifts,
  ...firewallRulesDrifts,
  ...serviceDrifts('kubelet'),
  nodeGone,
  ...serviceDrifts('flanneld'),
  ...overlayNetworkDrifts,
  podNetworkChanged,
  ...sourceVipDrifts,
  ...serviceDrifts('kubeproxy'),
  ...files.cniConfigDrifts,
  ...nodeReadyDrifts,
]
