// The typed Windows that steps and checks work with, built on a machine.
import {hostLocalOf, ownContainerd} from '../config/layout.js'
import {type ContainerdPlace, type Decided, DOCKER_SERVICE, type RuntimeName} from '../config/model.js'
import {DEFAULT_DOCKER_PIPE} from '../config/options/parse-option.js'
import type {Clock} from '../machine/clock.js'
import type {Files} from '../machine/files.js'
import type {Http} from '../machine/http.js'
import type {Assets, Machine, Net} from '../machine/machine.js'
import type {Win32} from '../machine/win32.js'
import {type Cluster, openCluster} from './cluster/cluster.js'
import type {Kubeconfig} from './cluster/kubeconfig.js'
import {type Condition, openCondition} from './condition.js'
import {type Containerd, openContainerd} from './containerd/containerd.js'
import {findContainerd, type Misfit, type PresentContainerd} from './containerd/present.js'
import {type DockerEngine, openDocker} from './docker/docker.js'
import {type MachineEnvironment, openEnvironment} from './environment.js'
import {type EventLog, openEventLog} from './event-log.js'
import {type Firewall, openFirewall} from './firewall.js'
import {type Flanneld, openFlanneld} from './flanneld.js'
import {type Hns, openHns} from './hns/hns.js'
import {type Ipam, openIpam} from './ipam.js'
import {type LocalServers, openLocalServers} from './local-server.js'
import {type HostNetwork, openNetwork} from './network.js'
import {openOperatingSystem, type OperatingSystem} from './os.js'
import {judgedHttp, openPipes, type Pipes} from './pipe.js'
import {openPortRanges, type PortRanges} from './port-ranges.js'
import type {ContainerRuntime} from './runtime.js'
import {keyOf} from './security/known-paths.js'
import {openSecurity, type Security} from './security/security.js'
import {openTrust, type Trust, trustedFiles, trustedRun} from './security/trust.js'
import {openServices, type Services} from './services/services.js'
import {openWindowsFeatures, type WindowsFeatures} from './windows-features.js'

export interface Host {
  readonly assets: Assets
  readonly clock: Clock
  cluster(kubeconfig: Kubeconfig): Cluster
  readonly condition: Condition
  readonly containerd: Containerd
  readonly docker: DockerEngine
  readonly environment: MachineEnvironment
  readonly events: EventLog
  readonly features: WindowsFeatures
  readonly files: Files
  readonly firewall: Firewall
  readonly flanneld: Flanneld
  readonly hns: Hns
  readonly http: Http
  readonly ipam: Ipam
  readonly net: Net
  readonly network: HostNetwork
  readonly os: OperatingSystem
  readonly pipes: Pipes
  readonly portRanges: PortRanges
  /** The containerd that k8s-win did not install, as it is now. */
  presentContainerd(): Promise<Misfit | PresentContainerd | undefined>
  /** Drives and memory, as Windows reports them. */
  readonly resources: Pick<Win32, 'drive' | 'memory'>
  /** What a containerd that cannot run again leaves behind. */
  readonly remains: Pick<Win32, 'destroyLayer' | 'endProgram'>
  /** What runs the node's containers. */
  readonly runtime: ContainerRuntime
  readonly security: Security
  /** The daemons' ports on this host. */
  readonly servers: LocalServers
  readonly services: Services
  readonly trust: Trust
}

export interface HostOptions {
  readonly assets: Assets
  readonly baseDir: string
  /** That of k8s-win, unless given. */
  readonly containerd?: ContainerdPlace
  readonly dockerPipe: string
  /** Docker, unless given. */
  readonly runtime?: RuntimeName
  /**
   * Services not created by k8s-win that had to stop: shared by the hosts of a run's steps, because the step that starts a
   * daemon again is not always the one that stopped it.
   */
  readonly stopped?: Set<string>
}

export const hostOptions = (assets: Assets, {baseDir, containerd, dockerPipe, runtime}: Decided): HostOptions => ({
  assets,
  baseDir,
  containerd,
  dockerPipe,
  runtime,
})

export function openHost(machine: Machine, options: HostOptions): Host {
  const {clock, files, net, run, win32} = machine
  const trust = openTrust(win32)
  const pipes = openPipes(win32)
  // On another pipe Docker may be any program of an administrator's.
  const http = judgedHttp(machine.http, (pipe) =>
    pipes.demand(pipe, keyOf(pipe) === keyOf(DEFAULT_DOCKER_PIPE) ? DOCKER_SERVICE : undefined),
  )
  const {baseDir, containerd: place = ownContainerd(baseDir)} = options
  const containerd = openContainerd({clock, pipes, run: trustedRun(run, trust)}, baseDir, place)
  const docker = openDocker(http, options.dockerPipe)
  const services = openServices(win32, clock, options.stopped)
  return {
    assets: options.assets,
    clock,
    cluster: (kubeconfig) => openCluster({clock, http, run}, kubeconfig),
    condition: openCondition(win32),
    containerd,
    docker,
    environment: openEnvironment(win32),
    events: openEventLog(win32),
    features: openWindowsFeatures(run, win32),
    files,
    firewall: openFirewall(run, win32),
    flanneld: openFlanneld(run),
    hns: openHns(win32),
    http,
    // In a folder that k8s-win did not close, it is judged each time.
    ipam: openIpam(files, place.isOurs ? run : trustedRun(run, trust), hostLocalOf(place)),
    net,
    network: openNetwork(run, win32),
    os: openOperatingSystem(win32),
    pipes,
    portRanges: openPortRanges(run, win32),
    presentContainerd: () => findContainerd({files, run, security: win32, services, trust}),
    remains: {destroyLayer: (path) => win32.destroyLayer(path), endProgram: (path) => win32.endProgram(path)},
    resources: {drive: (name) => win32.drive(name), memory: () => win32.memory()},
    runtime: {containerd, docker}[options.runtime ?? 'docker'],
    security: openSecurity(win32),
    servers: openLocalServers({baseDir, files: trustedFiles(files, trust), http, net, win32}),
    services,
    trust,
  }
}
