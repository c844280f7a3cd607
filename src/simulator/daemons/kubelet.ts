// kubelet.exe: when it serves, when it registers its node, and when it calls the node ready.
import {isDockerRunning} from '../docker/engine.js'
import type {Daemon, DaemonProcess} from './daemon.js'
import {parseBool} from './flags.js'
import {klogMessage} from './klog.js'
import {type OpenedKubeconfig, openKubeconfig} from './kubeconfig.js'
import {shownCertificate, startCertificates} from './kubelet-certificates.js'
import {findCniNetwork} from './kubelet-cni.js'
import {resolvConfOf, tcpPort} from './kubelet-config.js'
import {nodeNameOf, postStatus, registerNode} from './kubelet-node.js'
import {runtimeProblem} from './kubelet-runtime.js'
import {sandboxProblems} from './kubelet-sandbox.js'
import type {Flags} from './kubelet-start.js'
import {beginKubelet, loadKubeletConfig, logKubelet as log, parseKubeletFlags} from './kubelet-start.js'

const SERVING_AFTER_MS = 1000
const REGISTERS_AFTER_MS = 3000
/** dockershim looks at the CNI folder this often (network/cni, defaultSyncConfigPeriod). */
const CNI_SYNC_MS = 5000

export const kubelet: Daemon = {
  async advance(process) {
    const parsed = parseKubeletFlags(process)
    if (parsed.error !== undefined) return false
    const {flags} = parsed
    const {stage} = process.entry
    if (stage === 'starting' || stage === 'launched') return process.uptime >= SERVING_AFTER_MS && run(process, flags)
    if (stage.startsWith('serving')) return process.uptime >= REGISTERS_AFTER_MS && register(process, flags)
    return stage.startsWith('registered') && reportReadiness(process, flags)
  },
  begin: beginKubelet,
}

/** After the service manager calls it Running: what fails now ends the process without a word to the service manager. */
async function run(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry} = process
  const loaded = await loadKubeletConfig(process, flags)
  const config = loaded.error === undefined ? loaded.config : {}
  const problem = (await startClient(process, flags)) ?? (await runtimeProblem(process, flags, config))
  if (problem !== undefined) {
    await log(
      process,
      flags,
      'E',
      'server.go:292',
      klogMessage('Failed to run kubelet', {err: `failed to run Kubelet: ${problem}`}),
    )
    await process.exit(1, entry.startedAt + SERVING_AFTER_MS)
    return true
  }

  await log(process, flags, 'I', 'kubelet.go:1855', klogMessage('Starting kubelet main sync loop'))
  entry.stage = 'serving'
  entry.listening = [
    tcpPort(flags.get('port'), config['port'], 10_250),
    tcpPort(flags.get('healthz-port'), config['healthzPort'], 10_248),
  ]
  return true
}

async function isRotating(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const loaded = await loadKubeletConfig(process, flags)
  const field = loaded.error === undefined && loaded.config['rotateCertificates'] === true
  return parseBool(flags.get('rotate-certificates') ?? '') ?? field
}

/** app/server.go, buildKubeletClientConfig: comes before the runtime is looked for. Why the kubelet ends, or undefined. */
async function startClient(process: DaemonProcess, flags: Flags): Promise<string | undefined> {
  if (!(await isRotating(process, flags))) return undefined
  const opened = await openKubeconfig(process, flags.get('kubeconfig') ?? '')
  // Without a kubeconfig there is no client.
  return opened.error === undefined ? startCertificates(process.stage, opened.client.pair) : undefined
}

/**
 * With rotation a certificate of its store wins over the kubeconfig's, unless it has expired (certificate_manager.go), and
 * the transport made for it asks the environment for a proxy (pkg/kubelet/certificate/transport.go, "Proxy:
 * http.ProxyFromEnvironment"), not the kubeconfig's proxy-url.
 */
async function openClient(process: DaemonProcess, flags: Flags): Promise<OpenedKubeconfig> {
  const path = flags.get('kubeconfig') ?? ''
  const ignoresProxyUrl = await isRotating(process, flags)
  const opened = await openKubeconfig(process, path, {ignoresProxyUrl})
  if (opened.error !== undefined || !ignoresProxyUrl) return opened
  const rotated = await shownCertificate(process.stage, opened.client.pair)
  return rotated === undefined ? opened : openKubeconfig(process, path, {ignoresProxyUrl, rotated})
}

async function register(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry, stage} = process
  const opened = await openClient(process, flags)
  if (opened.error !== undefined || parseBool(flags.get('register-node') ?? 'true') === false) return false
  const name = nodeNameOf(flags.get('hostname-override'), stage.world.os.computerName)
  const rotates = await isRotating(process, flags)
  // app/server.go, buildKubeletClientConfig: with rotation the transport is made anew without the kubeconfig's
  // credentials and takes only the certificate manager's; a token is dropped, and the kubelet is anonymous.
  const anonymous = rotates && opened.client.credential !== 'certificate'
  const problem = anonymous
    ? 'nodes is forbidden: User "system:anonymous" cannot create resource "nodes" in API group "" at the cluster scope'
    : (opened.client.problem('create', 'nodes', name) ?? opened.client.problem('patch', 'nodes/status', name))
  if (problem !== undefined) {
    const told = `serving: ${problem}`
    if (entry.stage === told) return false
    entry.stage = told
    await log(
      process,
      flags,
      'E',
      'kubelet_node_status.go:93',
      klogMessage('Unable to register node with API server', {err: problem, node: name}),
    )
    return true
  }

  const node = registerNode(process, name, flags)
  if (node.addresses.length === 0) {
    const err = `failed to validate nodeIP: node IP: "${flags.get('node-ip') ?? ''}" not found in the host's network interfaces`
    await log(
      process,
      flags,
      'E',
      'kubelet_node_status.go:586',
      klogMessage('Unable to set some node status fields', {err}),
    )
  }

  await log(process, flags, 'I', 'kubelet_node_status.go:74', klogMessage('Successfully registered node', {node: name}))
  entry.stage = 'registered'
  return true
}

async function reportReadiness(process: DaemonProcess, flags: Flags): Promise<boolean> {
  const {entry, stage, uptime} = process
  const slot = `registered ${Math.floor(uptime / CNI_SYNC_MS)}`
  if (entry.stage === slot) return false
  entry.stage = slot
  const opened = await openClient(process, flags)
  const name = nodeNameOf(flags.get('hostname-override'), stage.world.os.computerName)
  if (opened.error !== undefined || opened.client.problem('patch', 'nodes/status', name) !== undefined) return true
  const binDirs = (flags.get('cni-bin-dir') ?? 'C:\\opt\\cni\\bin').split(',')
  const network = await findCniNetwork(stage, flags.get('cni-conf-dir') ?? 'C:\\etc\\cni\\net.d', binDirs)
  if (!isDockerRunning(stage.world)) return postStatus(stage, name, false, 'KubeletNotReady: container runtime is down')
  // Without a network plugin dockershim needs none, and calls the network ready (the "no-op" plugin).
  if (flags.get('network-plugin') === 'cni' && network.error !== undefined) {
    const message =
      'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized'
    const isNews = postStatus(stage, name, false, `KubeletNotReady: ${message}`)
    if (isNews)
      await log(process, flags, 'I', 'cni.go:239', klogMessage('Unable to update cni config', {err: network.error}))
    return true
  }

  const wasReady = stage.world.cluster.nodes.some((node) => node.name === name && node.ready)
  if (!postStatus(stage, name, true, 'KubeletReady') || wasReady) return true
  const loaded = await loadKubeletConfig(process, flags)
  const resolvConf = resolvConfOf(loaded.error === undefined ? loaded.config : {}, flags, process.version.minor)
  for (const err of await sandboxProblems(process, {
    binDirs,
    network,
    pauseImage: flags.get('pod-infra-container-image'),
    resolvConf,
  })) {
    await log(process, flags, 'E', 'kuberuntime_manager.go:790', klogMessage('CreatePodSandbox for pod failed', {err}))
  }

  return true
}
