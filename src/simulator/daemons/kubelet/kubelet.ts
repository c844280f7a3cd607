// kubelet.exe: when it serves, when it registers its node, and when it reports the node Ready.
import {isDockerRunning} from '../../docker/engine.js'
import type {Daemon, DaemonProcess} from '../daemon.js'
import {parseBool} from '../flags.js'
import {type ClusterClient, openKubeconfig} from '../kubeconfig.js'
import {loadClientConfig} from './kubelet-bootstrap.js'
import {shownCertificate, startCertificates} from './kubelet-certificates.js'
import {findCniNetwork} from './kubelet-cni.js'
import {tcpPort} from './kubelet-config.js'
import {containerdPods, containerdProblem, networkProblem, syncPods} from './kubelet-containerd.js'
import {postStatus, registerNode} from './kubelet-node.js'
import {podsWithSpec, runPods} from './kubelet-pods.js'
import {advanceRotation, isRotationDue, startRotation} from './kubelet-rotation.js'
import {dockerPods, runtimeProblem, sandboxProblems} from './kubelet-runtime.js'
import {beginKubelet, type Kubelet, openKubelet} from './kubelet-start.js'

const SERVING_AFTER_MS = 1000
const REGISTERS_AFTER_MS = 3000
/** How often dockershim reads the CNI folder (network/cni, defaultSyncConfigPeriod). */
const CNI_SYNC_MS = 5000

export const kubelet: Daemon = {
  async advance(process) {
    const {stage} = process.entry
    const isIdle = stage === readinessSlot(process)
    const isRotating = isRotationDue(process)
    if (isIdle && !isRotating) return false
    const self = await openKubelet(process)
    if (!self) return false
    if (isRotating && (await advanceRotation(self))) return true
    if (isIdle) return false
    if (stage === 'starting' || stage === 'launched') return process.uptime >= SERVING_AFTER_MS && run(self)
    if (stage.startsWith('serving')) return process.uptime >= REGISTERS_AFTER_MS && register(self)
    return stage.startsWith('registered') && reportReadiness(self)
  },
  begin: beginKubelet,
}

/** After the service manager shows it Running: what fails now ends the process without a report to the service manager. */
async function run(self: Kubelet): Promise<boolean> {
  const {config, entry, flags, log} = self
  const problem = (await startClient(self)) ?? (await runtimeProblem(self, config))
  if (problem !== undefined) {
    // From 1.24 on it is component-base/cli/run.go that logs it.
    const [source, message] =
      self.version.minor >= 24 ? ['run.go:72', 'command failed'] : ['server.go:292', 'Failed to run kubelet']
    await log('E', source, message, {err: `failed to run Kubelet: ${problem}`})
    await self.exit(1, entry.startedAt + SERVING_AFTER_MS)
    return true
  }

  await log('I', 'kubelet.go:1855', 'Starting kubelet main sync loop', {})
  entry.stage = 'serving'
  entry.listening = [
    tcpPort(flags.get('port'), config['port'], 10_250),
    tcpPort(flags.get('healthz-port'), config['healthzPort'], 10_248),
  ]
  return true
}

/**
 * app/server.go, buildKubeletClientConfig: comes before the runtime is checked. Why the kubelet ends, or undefined: with
 * rotation it continues, and gets its first certificate in the background.
 */
async function startClient(self: Kubelet): Promise<string | undefined> {
  const {bootstrapKubeconfig, entry, isRotating, kubeconfig, stage} = self
  // A wrapper's process outlives its program.
  delete entry.process?.rotation
  if (!isRotating) return bootstrapKubeconfig === '' ? undefined : 'a certificate without rotation is not simulated'
  const unloaded = bootstrapKubeconfig === '' ? undefined : await loadClientConfig(self)
  if (unloaded !== undefined) return unloaded
  const client = await openKubeconfig(self, kubeconfig, {ignoresFiles: true})
  // Without a kubeconfig there is no client.
  if (client.error !== undefined) return undefined
  const problem = await startCertificates(stage, client.pair)
  if (problem === undefined) await startRotation(self, client)
  return problem
}

/**
 * With rotation a certificate in its store has priority over the kubeconfig's, unless it has expired
 * (certificate_manager.go), and its transport uses the environment's proxy, not the kubeconfig's proxy-url
 * (pkg/kubelet/certificate/transport.go, "Proxy: http.ProxyFromEnvironment").
 */
async function openClient(self: Kubelet): Promise<ClusterClient> {
  const {isRotating: ignoresProxyUrl, kubeconfig} = self
  const options = {ignoresFiles: ignoresProxyUrl, ignoresProxyUrl}
  const client = await openKubeconfig(self, kubeconfig, options)
  if (client.error !== undefined || !ignoresProxyUrl) return client
  const rotated = await shownCertificate(self.stage, client.pair)
  return rotated === undefined ? client : openKubeconfig(self, kubeconfig, {...options, rotated})
}

async function register(self: Kubelet): Promise<boolean> {
  const {entry, flags, isRotating, log, nodeName} = self
  const client = await openClient(self)
  if (client.error !== undefined || parseBool(flags.get('register-node') ?? 'true') === false) return false
  // app/server.go, buildKubeletClientConfig: the transport for rotation takes the certificate manager's certificate only;
  // a token is dropped, and the kubelet is anonymous.
  const problem =
    isRotating && client.credential !== 'certificate'
      ? 'nodes is forbidden: User "system:anonymous" cannot create resource "nodes" in API group "" at the cluster scope'
      : (client.problem('create', 'nodes', nodeName) ?? client.problem('patch', 'nodes/status', nodeName))
  if (problem !== undefined) {
    const next = `serving: ${problem}`
    if (entry.stage === next) return false
    entry.stage = next
    const fields = {err: problem, node: nodeName}
    await log('E', 'kubelet_node_status.go:93', 'Unable to register node with API server', fields)
    return true
  }

  const node = registerNode(self, nodeName, flags)
  if (node.addresses.length === 0) {
    const err = `failed to validate nodeIP: node IP: "${flags.get('node-ip') ?? ''}" not found in the host's network interfaces`
    await log('E', 'kubelet_node_status.go:586', 'Unable to set some node status fields', {err})
  }

  await log('I', 'kubelet_node_status.go:74', 'Successfully registered node', {node: nodeName})
  entry.stage = 'registered'
  return true
}

/** The stage of a registered kubelet that has reported since it last read the CNI folder. */
const readinessSlot = ({uptime}: DaemonProcess): string => `registered ${Math.floor(uptime / CNI_SYNC_MS)}`

async function reportReadiness(self: Kubelet): Promise<boolean> {
  const {config, entry, flags, log, nodeName, stage} = self
  entry.stage = readinessSlot(self)
  const client = await openClient(self)
  if (client.problem('patch', 'nodes/status', nodeName) !== undefined) return true
  const post = (ready: boolean, reason: string): boolean => postStatus(stage, nodeName, ready, reason)
  if (self.version.minor >= 24) return reportContainerd(self, post)
  if (!isDockerRunning(stage.world)) return post(false, 'KubeletNotReady: container runtime is down')
  const binDirs = (flags.get('cni-bin-dir') ?? 'C:\\opt\\cni\\bin').split(',')
  const network = await findCniNetwork(stage, flags.get('cni-conf-dir') ?? 'C:\\etc\\cni\\net.d', binDirs)
  // Without a network plugin dockershim needs no network, and reports it ready (the "no-op" plugin).
  if (flags.get('network-plugin') === 'cni' && network.error !== undefined) {
    const message =
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized'
    const isNews = post(false, `KubeletNotReady: ${message}`)
    if (isNews) await log('I', 'cni.go:239', 'Unable to update cni config', {err: network.error})
    return true
  }

  const wasReady = stage.world.cluster.nodes.some((node) => node.name === nodeName && node.ready)
  const isNews = post(true, 'KubeletReady') && !wasReady
  const hasPods = podsWithSpec(stage, nodeName).length > 0
  if (!isNews && !hasPods) return true
  const problems = await sandboxProblems(self, config, network, binDirs)
  runPods(stage, config, nodeName, dockerPods(stage, nodeName, problems.length === 0))
  for (const err of isNews ? problems : []) {
    await log('E', 'kuberuntime_manager.go:790', 'CreatePodSandbox for pod failed', {err})
  }

  return true
}

async function reportContainerd(self: Kubelet, post: (ready: boolean, reason: string) => boolean): Promise<boolean> {
  const {config, log, nodeName} = self
  if (containerdProblem(self, config) !== undefined) return post(false, 'KubeletNotReady: container runtime is down')
  const problem = await networkProblem(self.stage)
  if (problem !== undefined) {
    const message = `container runtime network not ready: ${problem}`
    if (post(false, `KubeletNotReady: ${message}`)) {
      await log('E', 'kubelet.go:3117', 'Container runtime network not ready', {networkReady: problem})
    }

    return true
  }

  post(true, 'KubeletReady')
  for (const err of await syncPods(self, config, nodeName)) {
    await log('E', 'kuberuntime_manager.go:1213', 'CreatePodSandbox for pod failed', {err})
  }

  runPods(self.stage, config, nodeName, containerdPods(self.stage))

  return true
}
