// host-local.exe: the address manager of the CNI plugins (containernetworking/plugins, plugins/ipam/host-local/main.go).
import type {Stage} from '../model.js'
import {windowsPath} from '../windows/names.js'
import {allocate} from './host-local-allocator.js'
import {hostLocalConfig, type NetworkDocument} from './host-local-config.js'
import {admit, CODE, pretty, Refusal, supportedVersions} from './host-local-protocol.js'
import {openHostLocalStore} from './host-local-store.js'
import type {ProgramOutput} from './output.js'

interface Address {
  readonly address: string
  readonly gateway: string
}

const DONE: ProgramOutput = {exitCode: 0, stdout: ''}

export async function runHostLocal(
  stage: Stage,
  version: string,
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<ProgramOutput> {
  const command = env['CNI_COMMAND']
  const supported = supportedVersions(version)
  if (!command) {
    const about = `CNI host-local plugin ${version}\nCNI protocol versions supported: ${supported.join(', ')}\n`
    return {exitCode: 0, stderr: about}
  }

  if (command === 'VERSION') {
    const answer = {cniVersion: supported.at(-1), supportedVersions: supported}
    return {exitCode: 0, stdout: `${JSON.stringify(answer)}\n`}
  }

  try {
    return await perform(stage, command, env, admit(command, env, input, supported))
  } catch (error) {
    if (error instanceof Refusal) return error.output
    throw error
  }
}

async function perform(
  stage: Stage,
  command: string,
  env: Readonly<Record<string, string>>,
  document: NetworkDocument,
): Promise<ProgramOutput> {
  const {dataDir, name, ranges} = configOf(document)
  const [id, ifname] = [env['CNI_CONTAINERID'] ?? '', env['CNI_IFNAME'] ?? '']
  const store = await openHostLocalStore(stage.files, `${windowsPath(dataDir)}\\${name}`)
  if (command === 'DEL') {
    await store.release(id, ifname)
    return DONE
  }

  if (command === 'CHECK') {
    if (await store.holds(id, ifname)) return DONE
    throw new Refusal(CODE.internal, `host-local: Failed to find address added by container ${id}`)
  }

  const given: Address[] = []
  for (const [index, set] of ranges.entries()) {
    const got = await allocate(store, set, index, id, ifname)
    if (got.error !== undefined) {
      // What was already taken for this call is given back; a duplicate is not this call's.
      if (given.length > 0) await store.release(id, ifname)
      throw new Refusal(CODE.internal, `failed to allocate for range ${index}: ${got.error}`)
    }

    given.push(got.ip)
  }

  return {exitCode: 0, stdout: pretty(resultOf(document.cniVersion || '0.1.0', given))}
}

function configOf(document: NetworkDocument): ReturnType<typeof hostLocalConfig> {
  try {
    return hostLocalConfig(document)
  } catch (error) {
    throw new Refusal(CODE.internal, (error as Error).message)
  }
}

/** The result's shape follows the version of the configuration (facts d.5). */
function resultOf(cniVersion: string, given: readonly Address[]): object {
  const [first] = given
  if (cniVersion === '0.1.0' || cniVersion === '0.2.0') {
    return {cniVersion, ip4: {ip: first?.address, gateway: first?.gateway}, dns: {}}
  }

  const old = cniVersion.startsWith('0.')
  return {cniVersion, ips: given.map((ip) => (old ? {version: '4', ...ip} : ip)), dns: {}}
}
