// host-local.exe: the CNI protocol of the address manager (containernetworking/plugins, plugins/ipam/host-local/main.go).
import type {Stage} from '../model.js'
import {windowsPath} from '../windows/names.js'
import {allocate} from './host-local-allocator.js'
import {hostLocalConfig} from './host-local-config.js'
import {openHostLocalStore} from './host-local-store.js'
import type {ProgramOutput} from './output.js'

const VERSIONS = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0']
/** Codes of cni/pkg/types. */
const CODE = {decoding: 6, environment: 4, incompatible: 1, internal: 999} as const
/** Environment variables each command needs (cni/pkg/skel, getCmdArgsFromEnv). */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ADD: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
  CHECK: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
  DEL: ['CNI_CONTAINERID', 'CNI_IFNAME', 'CNI_PATH'],
}

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 4)
const failed = (code: number, msg: string): ProgramOutput => ({exitCode: 1, stdout: pretty({code, msg})})

export async function runHostLocal(
  stage: Stage,
  version: string,
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<ProgramOutput> {
  const command = env['CNI_COMMAND']
  if (!command)
    return {
      exitCode: 0,
      stderr: `CNI host-local plugin ${version}\nCNI protocol versions supported: ${VERSIONS.join(', ')}\n`,
    }
  if (command === 'VERSION')
    return {exitCode: 0, stdout: `${JSON.stringify({cniVersion: '1.0.0', supportedVersions: VERSIONS})}\n`}
  const needed = NEEDED[command]
  if (!needed) return failed(CODE.environment, `unknown CNI_COMMAND: ${command}`)
  const missing = needed.filter((name) => !env[name])
  if (missing.length > 0) return failed(CODE.environment, `required env variables [${missing.join(',')}] missing`)
  const loaded = hostLocalConfig(input)
  if (loaded.error !== undefined) return failed(loaded.isJson ? CODE.internal : CODE.decoding, loaded.error)
  const {cniVersion, dataDir, name, ranges} = loaded.config
  if (!VERSIONS.includes(cniVersion))
    return failed(
      CODE.incompatible,
      `incompatible CNI versions; config is "${cniVersion}", plugin supports ${JSON.stringify(VERSIONS)}`,
    )
  const id = env['CNI_CONTAINERID'] ?? ''
  const ifname = env['CNI_IFNAME'] ?? ''
  const store = await openHostLocalStore(stage.files, `${windowsPath(dataDir)}\\${name}`)
  if (command === 'DEL') {
    await store.release(id, ifname)
    return {exitCode: 0, stdout: ''}
  }

  if (command === 'CHECK') {
    const found = (await store.find(id, ifname)).length > 0
    return found
      ? {exitCode: 0, stdout: ''}
      : failed(CODE.internal, `host-local: Failed to find address added by container ${id}`)
  }

  const ips: {address: string; gateway: string}[] = []
  for (const [index, set] of ranges.entries()) {
    const got = await allocate(store, set, index, id, ifname)
    if (got.error !== undefined) {
      // What was already taken for this call is given back; a duplicate is not this call's.
      if (ips.length > 0) await store.release(id, ifname)
      return failed(CODE.internal, `failed to allocate for range ${index}: ${got.error}`)
    }

    ips.push(got.ip)
  }

  return {exitCode: 0, stdout: pretty(resultOf(cniVersion, ips))}
}

/** The result's shape follows the version of the configuration (facts d.5). */
function resultOf(cniVersion: string, ips: readonly {address: string; gateway: string}[]): object {
  if (cniVersion === '0.1.0' || cniVersion === '0.2.0')
    return {cniVersion, ip4: {gateway: ips[0]?.gateway, ip: ips[0]?.address}, dns: {}}
  const old = cniVersion.startsWith('0.')
  return {cniVersion, ips: ips.map((ip) => (old ? {version: '4', ...ip} : ip)), dns: {}}
}
