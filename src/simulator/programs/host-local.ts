// host-local.exe: the address manager of the CNI plugins (containernetworking/plugins, plugins/ipam/host-local).
import {win32} from 'node:path'

import type {Files} from '../../machine/files.js'
import type {ProgramOutput, ProgramStart, Stage} from '../model.js'
import {formatAddress, parseAddress, windowsPath} from '../windows/names.js'
import {type AddressRange, hostLocalConfig, type NetworkDocument, rangeText} from './host-local-config.js'
import {admit, CODE, pretty, Refusal, supportedVersions} from './host-local-protocol.js'

interface Address {
  readonly address: string
  readonly gateway: string
}

const DONE: ProgramOutput = {exitCode: 0, stdout: ''}

export async function runHostLocal(
  stage: Stage,
  {env, input = '', version}: Pick<ProgramStart, 'env' | 'input' | 'version'>,
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
  env: ProgramStart['env'],
  document: NetworkDocument,
): Promise<ProgramOutput> {
  const {dataDir, name, ranges} = configOf(document)
  const id = env['CNI_CONTAINERID'] ?? ''
  const store = await openStore(stage.files, `${windowsPath(dataDir)}\\${name}`, id, env['CNI_IFNAME'] ?? '')
  if (command === 'DEL') {
    await store.release()
    return DONE
  }

  const holders = await store.holders()
  if (command === 'CHECK') {
    if (holders.length > 0) return DONE
    throw new Refusal(CODE.internal, `host-local: Failed to find address added by container ${id}`)
  }

  const given: Address[] = []
  for (const [index, set] of ranges.entries()) {
    const fail = async (reason: string): Promise<never> => {
      // What this call has reserved is released; a duplicate was reserved by another call.
      if (given.length > 0) await store.release()
      throw new Refusal(CODE.internal, `failed to allocate for range ${index}: ${reason}`)
    }

    // The specification allows no second ADD; host-local refuses it since 0.8.2.
    const double = holders.find((address) => rangeWith(set, parseAddress(address)))
    if (double) await fail(`${double} has been allocated to ${id}, duplicate allocation is not allowed`)
    const address = await allocate(store, set, index)
    given.push(address ?? (await fail(`no IP addresses available in range set: ${set.map(rangeText).join(',')}`)))
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

/** The result's shape depends on the version of the configuration (docs/facts.md#cni-configuration). */
function resultOf(cniVersion: string, given: readonly Address[]): object {
  const [first] = given
  if (cniVersion === '0.1.0' || cniVersion === '0.2.0') {
    return {cniVersion, ip4: {ip: first?.address, gateway: first?.gateway}, dns: {}}
  }

  const old = cniVersion.startsWith('0.')
  return {cniVersion, ips: given.map((ip) => (old ? {version: '4', ...ip} : ip)), dns: {}}
}

const rangeWith = (set: readonly AddressRange[], address = -1): AddressRange | undefined =>
  set.find(({end, start}) => start <= address && address <= end)

/** backend/allocator/allocator.go: round robin after the last address, never the gateway. Undefined if none is free. */
async function allocate(store: Store, set: readonly AddressRange[], index: number): Promise<Address | undefined> {
  const all = set.flatMap((range) => Array.from({length: range.end - range.start + 1}, (_, at) => range.start + at))
  const last = all.indexOf(parseAddress((await store.last(index)) ?? '') ?? -1)
  for (const value of [...all.slice(last + 1), ...all.slice(0, last + 1)]) {
    const range = rangeWith(set, value)
    if (!range || value === range.gateway || !(await store.reserve(formatAddress(value), index))) continue
    return {address: `${formatAddress(value)}/${range.bits}`, gateway: formatAddress(range.gateway)}
  }

  return undefined
}

interface Store {
  /** Names of the files of this container and interface. */
  holders(): Promise<string[]>
  last(range: number): Promise<string | undefined>
  release(): Promise<void>
  /** False if the address is reserved. */
  reserve(address: string, range: number): Promise<boolean>
}

/** backend/disk/backend.go: one file per address with "id CR LF ifname" in it; files of old versions have the id alone. */
async function openStore(files: Files, folder: string, id: string, ifname: string): Promise<Store> {
  await files.makeDirectory(folder)
  const lock = win32.join(folder, 'lock')
  if (!(await files.status(lock))) await files.write(lock, '')
  const own = `${id.trim()}\r\n${ifname}`
  const filesWith = async (...contents: readonly string[]): Promise<string[]> => {
    const names = (await files.list(folder)).sort()
    const texts = await Promise.all(names.map((name) => files.read(win32.join(folder, name))))
    return names.filter((_, index) => contents.includes(texts[index]?.toString().trim() ?? ''))
  }

  return {
    holders: () => filesWith(own, id.trim()),
    last: async (range) => (await files.read(win32.join(folder, `last_reserved_ip.${range}`)))?.toString(),
    async release() {
      const exact = await filesWith(own)
      for (const name of exact.length > 0 ? exact : await filesWith(id.trim())) {
        await files.remove(win32.join(folder, name))
      }
    },
    async reserve(address, range) {
      const path = win32.join(folder, address)
      if (await files.status(path)) return false
      await files.write(path, own)
      await files.write(win32.join(folder, `last_reserved_ip.${range}`), address)
      return true
    },
  }
}
