// How the kubelet starts on Windows with --v=2, on a node that it registers for the first time (cmd/kubelet/app, pkg/kubelet).
import {errorS, klog} from '../log-lines.js'
import type {HealthyStart} from './start.js'

const info = (source: string, message: string): string => klog('I', source, message)
const ASKED = 'Get "https://10.0.0.1:6443/api/v1/nodes?fieldSelector=metadata.name%3Dwin-1": '

/** The last patch of each minor that k8s-win sets up. */
const PATCHES: Readonly<Record<number, number>> = {
  21: 14,
  22: 17,
  23: 17,
  24: 17,
  25: 16,
  26: 15,
  27: 16,
  28: 15,
  29: 15,
  30: 14,
  31: 14,
  32: 12,
  33: 13,
  34: 11,
  35: 8,
  36: 4,
}

export const KUBELET_STARTS: readonly HealthyStart[] = Object.entries(PATCHES).map(([minor, patch]) => ({
  at: `kubelet 1.${minor}.${patch}`,
  lines: linesOf(Number(minor), `v1.${minor}.${patch}`),
  source: 'kubelet',
}))

function linesOf(minor: number, version: string): string[] {
  return [
    ...(minor <= 23 ? ['Flag --network-plugin has been deprecated, will be removed along with dockershim.'] : []),
    // pkg/kubelet/apis/config/validation/validation_windows.go: both are on by default.
    ...(minor >= 31
      ? [
          klog(
            'W',
            'validation_windows.go:36',
            'ignored configuration option: CgroupsPerQOS (--cgroups-per-qos) true is not supported on Windows',
          ),
          klog(
            'W',
            'validation_windows.go:45',
            'ignored configuration option: EnforceNodeAllocatable (--enforce-node-allocatable) [pods] is not supported on Windows',
          ),
        ]
      : [info('flags.go:64', 'FLAG: --cgroups-per-qos="false"'), info('flags.go:64', 'FLAG: --resolv-conf=""')]),
    info('server.go:545', `"Kubelet version" kubeletVersion="${version}"`),
    info('service.go:129', 'Running kubelet as a Windows service!'),
    info('service.go:153', 'Service running'),
    // A join with a token: until it has its certificate, the kubelet is anonymous.
    info('server.go:985', '"Client rotation is on, will bootstrap in background"'),
    errorS(
      'kubelet_node_status.go:104',
      'Unable to register node with API server',
      'nodes is forbidden: User "system:anonymous" cannot create resource "nodes" in API group "" at the cluster scope',
    ),
    errorS('reflector.go:227', 'Failed to watch', 'failed to list *v1.Service: Unauthorized'),
    info('csr.go:274', '"Certificate signing request is approved, waiting to be issued" csr="csr-2x"'),
    // After a restart of Windows the network may be late, and the runtime, for which the kubelet ends.
    errorS(
      'reflector.go:227',
      'Failed to watch',
      `failed to list *v1.Node: ${ASKED}dial tcp 10.0.0.1:6443: connectex: A socket operation was attempted to an unreachable network.`,
    ),
    errorS('reflector.go:227', 'Failed to watch', `failed to list *v1.Node: ${ASKED}net/http: TLS handshake timeout`),
    ...(minor <= 23 ? docker() : containerd(minor)),
    info('container_manager_windows.go:189', '"Creating device plugin manager"'),
    info('kubelet.go:485', '"Attempting to sync node with API server"'),
    info('kubelet.go:397', '"Adding apiserver pod source"'),
    errorS(
      'perfcounter_nodestats_windows.go:247',
      'Unable to get cpu perf counter data',
      'unable to collect data from counter. Error code is 800007d6',
    ),
    errorS(
      'kubelet.go:1725',
      'Image garbage collection failed once. Stats initialization may not have completed yet',
      'invalid capacity 0 on image filesystem',
    ),
    info('server.go:193', '"Starting to listen" address="0.0.0.0" port=10250'),
    info('volume_manager.go:310', '"Starting Kubelet Volume Manager"'),
    info('kubelet.go:2622', '"Starting kubelet main sync loop"'),
    errorS(
      'kubelet.go:2646',
      'Skipping pod synchronization',
      '[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]',
    ),
    // Until the node is registered: up to 1.25, and from 1.26 on.
    minor <= 25
      ? errorS('kubelet.go:2427', 'Error getting node', 'node "win-1" not found')
      : errorS('kubelet_node_status.go:396', 'Error getting the current node from lister', 'node "win-1" not found'),
    errorS(
      'eviction_manager.go:297',
      'Eviction manager: failed to get summary stats',
      'failed to get node info: node "win-1" not found',
    ),
    errorS('controller.go:201', 'Failed to ensure lease exists, will retry', 'leases "win-1" not found'),
    info('kubelet_node_status.go:75', '"Attempting to register node" node="win-1"'),
    info('kubelet_node_status.go:78', '"Successfully registered node" node="win-1"'),
    minor <= 23
      ? errorS(
          'kubelet.go:2337',
          'Container runtime network not ready',
          'NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized',
        )
      : errorS(
          'kubelet.go:3262',
          'Container runtime network not ready',
          'NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
        ),
    info('reflector.go:436', '"Caches populated" type="*v1.RuntimeClass"'),
    info('kubelet_node_status.go:431', '"Fast updating node status as it just became ready"'),
  ]
}

/** pkg/kubelet/dockershim, up to 1.23. */
function docker(): string[] {
  return [
    errorS(
      'server.go:302',
      'Failed to run kubelet',
      'failed to run Kubelet: failed to get docker version: error during connect: Get "http://%2F%2F.%2Fpipe%2Fdocker_engine/v1.24/version": open //./pipe/docker_engine: The system cannot find the file specified.',
    ),
    info('kubelet.go:313', '"Using dockershim is deprecated, please consider using a full-fledged CRI implementation"'),
    info('cni.go:240', String.raw`"Unable to update cni config" err="no networks found in C:\\k\\cni\\config"`),
    info('docker_service.go:571', '"Hairpin mode is set but kubenet is not enabled, falling back to HairpinVeth"'),
  ]
}

function containerd(minor: number): string[] {
  return [
    errorS(
      'run.go:72',
      'command failed',
      `failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "npipe:////./pipe/containerd-containerd": rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing${minor >= 27 ? ':' : ''} open //./pipe/containerd-containerd: The system cannot find the file specified."`,
    ),
    info('remote_runtime.go:171', '"Validated CRI v1 runtime API"'),
    info(
      'server.go:1425',
      '"CRI implementation should be updated to support RuntimeConfig. Falling back to using cgroupDriver from kubelet config."',
    ),
  ]
}
