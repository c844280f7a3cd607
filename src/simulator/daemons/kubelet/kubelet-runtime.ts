// What a kubelet needs from the container runtime and its host: why it does not run, and why pods do not start.
import {fitsHost} from '../../docker/containers.js'
import {isDockerRunning} from '../../docker/engine.js'
import type {Stage} from '../../model.js'
import {compareVersions} from '../../versions.js'
import {networkNamed} from '../../windows/hns-objects.js'
import {formatAddress, parseCidr, windowsPath} from '../../windows/names.js'
import type {World} from '../../world.js'
import type {KlogProcess} from '../klog.js'
import {openKubeconfig} from '../kubeconfig.js'
import {type CniNetwork, firstMissing} from './kubelet-cni.js'
import {containerdProblem} from './kubelet-containerd.js'
import {type KubeletConfig, resolvConfOf, tcpPort} from './kubelet-config.js'
import type {PodRuntime} from './kubelet-pods.js'
import {settingsProblem} from './kubelet-settings.js'
import {defaultPauseImage, runsWmic} from '../releases.js'

/** The Docker client in kubelet 1.21 to 1.23 (docker 20.10's) speaks this API version, negotiated down, and no newer one. */
const DOCKERSHIM_API = '1.41'

const WITHOUT_WMIC = 26_100

const SERVING_FILES = {'tls-cert-file': 'tlsCertFile', 'tls-private-key-file': 'tlsPrivateKeyFile'}

/** Why the kubelet ends, or undefined. */
export async function runtimeProblem(process: KlogProcess, config: KubeletConfig): Promise<string | undefined> {
  const {flags, stage, version} = process
  const {os} = stage.world
  const kubeconfig = flags.get('kubeconfig')
  if (kubeconfig !== undefined) {
    // The file of a certificate that it renews may come later.
    const ignoresFiles = process.entry.process?.rotation !== undefined
    const {error} = await openKubeconfig(process, kubeconfig, {ignoresFiles})
    if (error?.startsWith('exec plugin')) return `failed to initialize kubelet client: ${error}`
    if (error !== undefined) return `invalid kubeconfig: ${error}`
  }

  const authentication = config['authentication'] as {x509?: {clientCAFile?: string}} | undefined
  const clientCA = flags.get('client-ca-file') ?? authentication?.x509?.clientCAFile
  if (clientCA && !(await stage.files.status(clientCA))) {
    return `unable to load client CA file ${clientCA}: open ${clientCA}: The system cannot find the file specified.`
  }

  const refused = settingsProblem(config, version.minor)
  if (refused !== undefined) return refused
  // Windows Server 2025 has no wmic unless it is added as a feature, and the error ends the kubelet.
  if (os.build >= WITHOUT_WMIC && runsWmic(version.text)) {
    return 'exec: "wmic": executable file not found in %PATH%'
  }

  // pkg/kubelet/server/server.go, ListenAndServeTLS, which ends the kubelet: "Failed to listen and serve".
  for (const [flag, field] of Object.entries(SERVING_FILES)) {
    const file = flags.get(flag) ?? config[field]
    if (typeof file === 'string' && file !== '' && !(await stage.files.status(windowsPath(file))))
      return `open ${file}: The system cannot find the file specified.`
  }

  const port = tcpPort(flags.get('port'), config['port'], 10_250)
  const taken = os.listening.includes(port)
    ? `listen tcp 0.0.0.0:${port.slice(4)}: bind: Only one usage of each socket address (protocol/network address/port) is normally permitted.`
    : undefined
  // Since 1.24 there is no dockershim.
  return (version.minor >= 24 ? containerdProblem(process, config) : dockerProblem(stage.world)) ?? taken
}

function dockerProblem(world: World): string | undefined {
  const {docker} = world
  const failed = (reason: string): string => `failed to create kubelet: failed to get docker version: ${reason}`
  if (!isDockerRunning(world)) {
    const pipe = 'npipe:////./pipe/docker_engine'
    return failed(`Cannot connect to the Docker daemon at ${pipe}. Is the docker daemon running?`)
  }

  const {minApiVersion} = docker
  if (compareVersions(minApiVersion, DOCKERSHIM_API) > 0) {
    const minimum = `Minimum supported API version is ${minApiVersion}, please upgrade your client to a newer version`
    return failed(`Error response from daemon: client version ${DOCKERSHIM_API} is too old. ${minimum}`)
  }

  return undefined
}

/** Why the sandboxes of pods cannot be created: the kubelet logs each problem with the first pod. */
export async function sandboxProblems(
  {flags, stage, version}: KlogProcess,
  config: KubeletConfig,
  network: CniNetwork,
  binDirs: readonly string[],
): Promise<string[]> {
  const {docker, os} = stage.world
  const problems: string[] = []
  // kubernetes#103110: up to 1.22 every sandbox fails where the file is missing and the flag does not switch it off.
  const resolvConf = resolvConfOf(config, flags, version.minor)
  if (resolvConf !== '' && !(await stage.files.status(windowsPath(resolvConf)))) {
    problems.push(`open ${resolvConf}: The system cannot find the path specified.`)
  }

  const image = flags.get('pod-infra-container-image') || defaultPauseImage(version.minor)
  const pause = docker.images.find(({tags}) => tags.includes(image) || tags.includes(`${image}:latest`))
  if (!pause) {
    const denied = `Error response from daemon: pull access denied for ${image}`
    problems.push(`unable to pull sandbox image "${image}": ${denied}`)
  } else if (!fitsHost(pause.osVersion, os.build)) {
    const mismatch = 'The container operating system does not match the host operating system.'
    problems.push(
      `failed to start sandbox container for pod: hcsshim::CreateComputeSystem: ${mismatch} (image ${image}, ${pause.osVersion})`,
    )
  }

  if (network.error !== undefined) return problems
  const failed = 'networkPlugin cni failed to set up pod network'
  const missing = await firstMissing(stage, network.delegates, binDirs)
  if (missing !== undefined) {
    problems.push(`${failed}: failed to find plugin "${missing}" in path [${binDirs.join(' ')}]`)
  } else if (!networkNamed(stage.world, network.name)) {
    // win-overlay looks the network up by the name in the configuration (plugins/main/windows/win-overlay, cmdAdd).
    const {name} = network
    problems.push(`${failed}: error while GETHNSNewtorkByName(${name}): Network ${name} not found`)
  }

  return problems
}

/** Docker's containers and endpoints of pods are not simulated: of a pod there is only its address. */
export function dockerPods({world}: Stage, nodeName: string, hasSandboxes: boolean): PodRuntime {
  const cidr = parseCidr(world.cluster.nodes.find(({name}) => name === nodeName)?.podCIDR ?? '')
  return {
    addressOf: () => (hasSandboxes && cidr ? formatAddress(cidr.base + 20) : undefined),
    hasImage: (reference) => world.docker.images.some(({tags}) => tags.includes(reference)),
    // moby daemon/start.go: 127 where the program is not found; dockershim's reason (docker_container.go, toRuntimeAPIContainerState).
    notStarted: {exitCode: 127, reason: 'ContainerCannotRun'},
  }
}
