// The twin of a host, with what it must know of the node on it: the versions of its programs, and its services.
import {COMMON_DAEMONS, DAEMON, type Daemon, DAEMONS, WATCH} from '../config/daemons.js'
import {layoutOf} from '../config/layout.js'
import {CONTAINERD, type Decided, DOCKER_SERVICE, endpointOf} from '../config/model.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {type Containerd, openContainerd} from '../host/containerd/containerd.js'
import {isNotServing} from '../host/containerd/failure.js'
import {CRICTL_MS} from '../host/containerd/programs.js'
import {openLocalServers} from '../host/local-server.js'
import {openPipes} from '../host/pipe.js'
import {trustedFilesOf} from '../host/security/trust.js'
import type {Machine} from '../machine/machine.js'
import type {ClusterSeed, Twin, TwinOptions} from '../simulator/index.js'

const HEALTH_MS = 5000

export async function openNodeTwin(
  machine: Machine,
  config: Decided,
  cluster: ClusterSeed,
  digests: TwinOptions['digests'] = {},
): Promise<Twin> {
  // Loaded for a plan only: a run needs no simulator.
  const {openTwin} = await import('../simulator/index.js')
  const {http, net, win32} = machine
  const servers = openLocalServers({baseDir: config.baseDir, files: trustedFilesOf(machine), http, net, win32})
  const isHealthy: TwinOptions['isHealthy'] = async (service, url) =>
    (await servers.health(DAEMON[service], url, {deadlineMs: HEALTH_MS})).state === 'ok'
  return openTwin(machine, {cluster, digests, dockerPipe: config.dockerPipe, isHealthy, ...nodeOf(machine, config)})
}

function nodeOf(
  {clock, run, win32}: Machine,
  config: Decided,
): Pick<TwinOptions, 'containerd' | 'programs' | 'services'> {
  const {baseDir, containerd: place, release, runtime, versions} = config
  const {cni, containerd, crictl, flannel, flannelCNI} = versions
  const isContainerd = runtime === CONTAINERD
  return {
    ...(isContainerd && {
      containerd: {
        ...layoutOf(baseDir).containerd,
        ctr: place.ctr,
        endpoint: endpointOf(place),
        isSilent: () => isSilent(openContainerd({clock, pipes: openPipes(win32), run}, baseDir, place)),
        pipe: place.pipe,
        version: `v${containerd.text}`,
      },
    }),
    programs: {
      containerd: `v${containerd.text}`,
      crictl: `v${crictl.text}`,
      ctr: `v${containerd.text}`,
      flannel: `v${flannelCNI.text}`,
      flanneld: `v${flannel.text}`,
      'k8s-win': 'v0.0.0',
      'host-local': `v${cni.text}`,
      'kube-log-runner': `v${release.text}`,
      'kube-proxy': `v${release.text}`,
      kubelet: `v${release.text}`,
      nssm: 'v2.24',
      shawl: 'v1.3.0',
      'win-overlay': `v${cni.text}`,
    } satisfies Record<Daemon['program'], string> & Record<string, string>,
    services: [
      'hns',
      DOCKER_SERVICE,
      WATCH.service,
      ...(isContainerd ? DAEMONS : COMMON_DAEMONS).map(({service}) => service),
    ],
  }
}

/** A crictl that cannot be run, or makes no sense, shows nothing about containerd. */
const isSilent = ({version}: Containerd): Promise<boolean> =>
  version(CRICTL_MS).then(
    () => false,
    (error: unknown) => {
      if (error instanceof K8sWinError) return isNotServing(error)
      throw error
    },
  )
