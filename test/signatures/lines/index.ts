// A line for each known failure that is no code.
import {CLUSTER_LINES} from './cluster.js'
import {CONTAINERD_LINES} from './containerd.js'
import {DOCKER_LINES} from './docker.js'
import {FLANNELD_LINES} from './flanneld.js'
import {KUBELET_LINES} from './kubelet.js'
import {KUBE_PROXY_LINES} from './kube-proxy.js'
import {SHAWL_LINES} from './shawl.js'
import type {SignatureLine} from './line.js'

export const LINES: readonly SignatureLine[] = [
  ...FLANNELD_LINES,
  ...KUBE_PROXY_LINES,
  ...KUBELET_LINES,
  ...SHAWL_LINES,
  ...DOCKER_LINES,
  ...CONTAINERD_LINES,
  ...CLUSTER_LINES,
]
