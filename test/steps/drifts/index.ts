// Everything that can go wrong on a node, in one list.
import {COMMON_DAEMONS} from '../../../src/config/daemons.js'
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
  ...COMMON_DAEMONS.flatMap(({service}) => serviceDrifts(service)),
  nodeGone,
  ...overlayNetworkDrifts,
  podNetworkChanged,
  ...sourceVipDrifts,
  ...files.cniConfigDrifts,
  ...nodeReadyDrifts,
]
