// The network of a sandbox: containerd calls flannel's CNI plugin, which calls win-overlay, which calls host-local
// (flannel-io/cni-plugin, flannel.go and flannel_windows.go).
import {win32} from 'node:path'
import type {ProgramOutput, Stage} from '../model.js'
import {runHostLocal} from '../programs/host-local.js'
import {isAtLeast} from '../versions.js'
import {formatAddress, guidOf, parseCidr} from '../windows/names.js'
import {identifyProgram} from '../windows/service-process.js'
import {RpcError} from './cri-endpoint.js'
import {addEndpoint, type OverlayConfig, removeEndpoint} from './win-overlay.js'

const SUBNET_FILE = String.raw`C:\run\flannel\subnet.env`
const DELEGATES = String.raw`C:\var\lib\cni\flannel`
/** What a plugin answered is kept until the sandbox is removed (containernetworking/cni, libcni/api.go, getCacheFilePath). */
const RESULTS = String.raw`C:\var\lib\cni\results`
const resultOf = (network: string, sandbox: string): string => win32.join(RESULTS, `${network}-${sandbox}-eth0`)
/** The first win-overlay that uses HNS v2 (containernetworking/plugins@8b8825bc). */
const VERSION_2 = '1.2.0'

/** The address of the sandbox; rejects with an RpcError. */
export async function setUpNetwork(stage: Stage, sandbox: string): Promise<string> {
  const fail = (reason: string): RpcError =>
    new RpcError('Unknown', `failed to setup network for sandbox ${JSON.stringify(sandbox)}: ${reason}`)
  const network = await loadCniConfig(stage)
  if (network.error !== undefined) throw fail('cni plugin not initialized')
  const [plugin] = network.plugins
  await demandPlugin(stage, plugin?.type ?? '', fail)
  const failed = (reason: string): RpcError =>
    fail(`plugin type=${JSON.stringify(plugin?.type)} failed (add): ${reason}`)
  const written = (await stage.files.read(SUBNET_FILE))?.toString('utf8') ?? ''
  const cidr = parseCidr(/^FLANNEL_SUBNET=(\S+)$/m.exec(written)?.[1] ?? '')
  if (!cidr) {
    throw failed(
      "failed to load flannel 'subnet.env' file: open /run/flannel/subnet.env: The system cannot find the path specified.. Check the flannel pod log for this node.",
    )
  }

  const {delegate = {}} = plugin ?? {}
  await demandPlugin(stage, delegate.type ?? '', failed)
  const host = await demandPlugin(stage, 'host-local', failed)
  const config = {
    ...delegate,
    cniVersion: network.cniVersion,
    ipam: {subnet: `${formatAddress(cidr.base)}/${cidr.bits}`, type: 'host-local'},
    name: network.name,
  }
  const version = await pluginVersion(stage, delegate.type ?? '')
  if (delegate['apiVersion'] !== 2 || !isAtLeast(version, VERSION_2)) {
    // HNS v1 attaches an endpoint to a container that it knows; containerd gives a namespace of HNS v2 instead.
    throw failed(
      `failed to delegate add: error while AddHnsEndpoint(${sandbox}_${network.name}): the container was not found`,
    )
  }

  const answer = await hostLocal(stage, 'ADD', sandbox, host, JSON.stringify(config))
  const result = JSON.parse(answer.stdout ?? '{}') as {ip4?: {ip: string}; ips?: {address: string}[]; msg?: string}
  const address = (result.ips?.[0]?.address ?? result.ip4?.ip)?.split('/')[0]
  if (answer.exitCode !== 0 || address === undefined) throw failed(`failed to delegate add: ${result.msg ?? ''}`)
  await stage.files.makeDirectory(DELEGATES)
  await stage.files.write(win32.join(DELEGATES, sandbox), JSON.stringify(config))
  const problem = addEndpoint(stage, config, sandbox, address)
  if (problem === undefined) {
    await stage.files.makeDirectory(RESULTS)
    await stage.files.write(resultOf(config.name, sandbox), answer.stdout ?? '')
    return address
  }

  await hostLocal(stage, 'DEL', sandbox, host, JSON.stringify(config))
  await stage.files.remove(win32.join(DELEGATES, sandbox))
  throw failed(`failed to delegate add: ${problem}`)
}

/** Needs the CNI configuration; and without flannel's own file of the sandbox nothing is removed, without an error. */
export async function tearDownNetwork(stage: Stage, sandbox: string): Promise<void> {
  const network = await loadCniConfig(stage)
  if (network.error !== undefined) {
    throw new RpcError(
      'Unknown',
      `failed to destroy network for sandbox ${JSON.stringify(sandbox)}: cni plugin not initialized`,
    )
  }

  await stage.files.remove(resultOf(network.name, sandbox))
  const path = win32.join(DELEGATES, sandbox)
  const bytes = await stage.files.read(path)
  if (!bytes) return
  const version = await pluginVersion(stage, 'host-local')
  await hostLocal(stage, 'DEL', sandbox, version, bytes.toString('utf8'))
  removeEndpoint(stage, (JSON.parse(bytes.toString('utf8')) as OverlayConfig).name, sandbox)
  await stage.files.remove(path)
}

function hostLocal(
  stage: Stage,
  command: string,
  sandbox: string,
  version: string,
  input: string,
): Promise<ProgramOutput> {
  const env = {
    CNI_COMMAND: command,
    CNI_CONTAINERID: sandbox,
    CNI_IFNAME: 'eth0',
    CNI_NETNS: guidOf(`namespace ${sandbox}`).toLowerCase(),
    CNI_PATH: 'cni',
  }
  return runHostLocal(stage, {env, input, version})
}

const foldersOf = ({world}: Stage): readonly string[] => world.containerd.config?.cniBinDirs ?? []

/** The plugin's version. */
async function demandPlugin(stage: Stage, type: string, fail: (reason: string) => RpcError): Promise<string> {
  const version = await pluginVersion(stage, type)
  if (version === '')
    throw fail(`failed to find plugin ${JSON.stringify(type)} in path [${foldersOf(stage).join(' ')}]`)
  return version
}

/** Empty where there is no such program. */
async function pluginVersion(stage: Stage, type: string): Promise<string> {
  for (const folder of foldersOf(stage)) {
    const path = win32.join(folder, `${type}.exe`)
    if (type !== '' && (await stage.files.status(path))?.kind === 'file') {
      return (await identifyProgram(stage, path))?.version ?? 'unknown'
    }
  }

  return ''
}

interface PluginConfig {
  readonly delegate?: {readonly [key: string]: unknown; readonly type?: string}
  readonly type?: string
}

type LoadedNetwork =
  | {
      readonly cniVersion: string
      readonly error?: undefined
      readonly name: string
      readonly plugins: readonly PluginConfig[]
    }
  | {readonly error: string}

interface ConfigFile extends PluginConfig {
  readonly cniVersion?: string
  readonly name?: string
  readonly plugins?: readonly PluginConfig[]
}

/**
 * How containerd finds its CNI network (containerd/go-cni, opts.go loadFromConfDir): the first file by name, and only that
 * one; a file that is not valid is an error, not skipped as dockershim did.
 */
export async function loadCniConfig({files, world}: Stage): Promise<LoadedNetwork> {
  const folder = world.containerd.config?.cniConfDir ?? ''
  if (world.containerd.config?.cniConfDirLost) return {error: 'cni plugin not initialized'}
  const names = (await files.list(folder)).filter((name) => /\.(?:conf|conflist|json)$/.test(name)).sort()
  const [first] = names
  if (first === undefined) return {error: `no network config found in ${folder}: cni plugin not initialized`}
  const path = win32.join(folder, first)
  const isList = first.endsWith('.conflist')
  const invalid = (reason: string): LoadedNetwork => ({
    error: `failed to load CNI config ${isList ? 'list ' : ''}file ${path}: ${reason}: invalid cni config`,
  })
  let config: ConfigFile
  try {
    config = JSON.parse((await files.read(path))?.toString('utf8') ?? '') as ConfigFile
  } catch (error) {
    return invalid(`error parsing configuration: ${(error as Error).message}`)
  }

  const {cniVersion = '0.1.0', name, plugins = []} = config
  // libcni, NetworkConfFromBytes: a list needs a name and plugins, each with a type.
  if (isList && !name) return invalid('error parsing configuration list: no name')
  if (isList && plugins.length === 0) return invalid("error parsing configuration list: no 'plugins' key")
  const all = isList ? plugins : [config]
  if (all.some(({type}) => !type)) return {error: `network type not found in ${path}: invalid cni config`}
  return {cniVersion, name: name ?? '', plugins: all}
}
