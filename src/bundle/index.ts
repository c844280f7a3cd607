// Everything a bundle is made of, in the order it stands in the archive: logs last, for they fill what room is left.
import {CLUSTER_COLLECTORS} from './cluster-collectors.js'
import type {Collector} from './collector.js'
import {DOCKER_COLLECTORS} from './docker-collectors.js'
import {FILE_COLLECTORS} from './file-collectors.js'
import {kubeconfigCollector} from './kubeconfigs.js'
import {logCollector} from './log-collector.js'
import {NETWORK_COLLECTORS} from './network-collectors.js'
import {WINDOWS_COLLECTORS} from './windows-collectors.js'

export const COLLECTORS: readonly Collector[] = [
  kubeconfigCollector,
  ...FILE_COLLECTORS,
  ...WINDOWS_COLLECTORS,
  ...NETWORK_COLLECTORS,
  ...DOCKER_COLLECTORS,
  ...CLUSTER_COLLECTORS,
  logCollector,
]
