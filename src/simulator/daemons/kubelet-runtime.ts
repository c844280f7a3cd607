// What a kubelet needs once it runs: a kubeconfig it can read, the container runtime, and its ports.
import {isDockerRunning} from '../docker/engine.js'
import {openKubeconfig} from './kubeconfig.js'
import type {DaemonProcess} from './daemon.js'
import type {KubeletConfig} from './kubelet-config.js'
import {tcpPort} from './kubelet-config.js'

/** The Docker client inside kubelet 1.21 to 1.23 (docker 20.10's) speaks this version, negotiated down, and no newer one. */
const DOCKERSHIM_API = '1.41'
const NOT_FOUND = 'The system cannot find the file specified.'

export async function runtimeProblem(
  process: DaemonProcess,
  flags: ReadonlyMap<string, string>,
  config: KubeletConfig,
): Promise<string | undefined> {
  const {stage, version} = process
  const {docker, os} = stage.world
  const kubeconfig = flags.get('kubeconfig')
  if (kubeconfig !== undefined) {
    const opened = await openKubeconfig(process, kubeconfig)
    if (opened.error?.startsWith('exec plugin')) return `failed to initialize kubelet client: ${opened.error}`
    if (opened.error !== undefined) return `invalid kubeconfig: ${opened.error}`
  }

  const authentication = config['authentication'] as {x509?: {clientCAFile?: string}} | undefined
  const clientCA = flags.get('client-ca-file') ?? authentication?.x509?.clientCAFile
  if (clientCA && !(await stage.files.status(clientCA)))
    return `unable to load client CA file ${clientCA}: open ${clientCA}: ${NOT_FOUND}`
  if (version.minor >= 24)
    return 'unable to determine runtime API version: rpc error: code = Unavailable desc = connection error: open //./pipe/containerd-containerd'
  if (!isDockerRunning(stage.world))
    return 'failed to create kubelet: failed to get docker version: Cannot connect to the Docker daemon at npipe:////./pipe/docker_engine. Is the docker daemon running?'
  if (isNewer(docker.minApiVersion, DOCKERSHIM_API)) {
    return `failed to create kubelet: failed to get docker version: Error response from daemon: client version ${DOCKERSHIM_API} is too old. Minimum supported API version is ${docker.minApiVersion}, please upgrade your client to a newer version`
  }

  const port = tcpPort(flags.get('port'), config['port'], 10_250)
  if (os.listening.includes(port)) {
    return `listen tcp 0.0.0.0:${port.slice(4)}: bind: Only one usage of each socket address (protocol/network address/port) is normally permitted.`
  }

  return undefined
}

function isNewer(a: string, b: string): boolean {
  const [[aMajor = 0, aMinor = 0], [bMajor = 0, bMinor = 0]] = [a.split('.').map(Number), b.split('.').map(Number)]
  return aMajor > bMajor || (aMajor === bMajor && aMinor > bMinor)
}
