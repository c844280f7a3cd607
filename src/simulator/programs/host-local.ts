// host-local.exe: the address manager of the CNI plugins (containernetworking/plugins, plugins/ipam/host-local). Only what
// k8s-win and win-overlay ask it: ADD and DEL with one subnet.
import {win32} from 'node:path'
import type {Files} from '../../machine/files.js'
import type {ProgramOutput, ProgramStart, Stage} from '../model.js'
import {isAtLeast} from '../versions.js'
import {formatAddress, parseAddress, parseCidr, windowsPath} from '../windows/names.js'

interface Address {
  readonly address: string
  readonly gateway: string
}

/** With the gateway, which is the first address, and without the last one, which is for broadcasts. */
interface Range {
  readonly bits: number
  readonly end: number
  readonly start: number
}

interface Network {
  readonly cniVersion: string
  readonly dataDir: string
  readonly name: string
  readonly range: Range
}

interface NetworkDocument {
  readonly cniVersion?: string
  readonly ipam?: {
    readonly dataDir?: string
    readonly ranges?: readonly (readonly {readonly subnet?: string}[])[]
    readonly subnet?: string
  }
  readonly name?: string
}

/** Codes of cni/pkg/types. */
const CODE = {decoding: 6, environment: 4, incompatible: 1, internal: 999, network: 7} as const
/** Environment variables each command needs (containernetworking/cni pkg/skel, getCmdArgsFromEnv). */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ADD: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME', 'CNI_PATH'],
  DEL: ['CNI_CONTAINERID', 'CNI_IFNAME', 'CNI_PATH'],
}
/** Those of the CNI library of the plugins; 1.1.0 came with 1.5.0. */
const CNI_VERSIONS: readonly string[] = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0']
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly details = '',
  ) {
    super(message)
  }
}

export async function runHostLocal(
  stage: Stage,
  {env, input = '', version}: Pick<ProgramStart, 'env' | 'input' | 'version'>,
): Promise<ProgramOutput> {
  const {CNI_COMMAND: command = '', CNI_CONTAINERID: id = '', CNI_IFNAME: device = ''} = env
  try {
    const network = admit(command, env, input, version)
    const store = await openStore(stage.files, `${windowsPath(network.dataDir)}\\${network.name}`, id, device)
    if (command === 'ADD') return {exitCode: 0, stdout: pretty(await add(store, network, id))}
    await store.release()
    return {exitCode: 0, stdout: ''}
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const {code, details, message: msg} = error
    return {exitCode: 1, stdout: pretty({code, msg, ...(details && {details})})}
  }
}

/** Indented and escaped as Go does. */
const pretty = (value: unknown): string =>
  JSON.stringify(value, undefined, 4).replaceAll(
    /[&<>]/g,
    (letter) => `\\u00${letter.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

async function add(store: Store, {cniVersion, range}: Network, id: string): Promise<object> {
  const fail = (reason: string): Refusal => new Refusal(CODE.internal, `failed to allocate for range 0: ${reason}`)
  // The specification allows no second ADD; host-local refuses it since 0.8.2.
  const double = (await store.holders()).find((name) => isIn(range, parseAddress(name)))
  if (double) throw fail(`${double} has been allocated to ${id}, duplicate allocation is not allowed`)
  const ip = await allocate(store, range)
  const all = `${formatAddress(range.start)}-${formatAddress(range.end)}`
  if (!ip) throw fail(`no IP addresses available in range set: ${all}`)
  // The result's shape depends on the version of the configuration (docs/facts.md#cni-configuration; cni pkg/types/020).
  if (!isAtLeast(cniVersion, '0.3.0')) return {cniVersion, ip4: {ip: ip.address, gateway: ip.gateway}, dns: {}}
  return {cniVersion, ips: [isAtLeast(cniVersion, '1.0.0') ? ip : {version: '4', ...ip}], dns: {}}
}

const isIn = ({end, start}: Range, address = -1): boolean => start <= address && address <= end

/** backend/allocator/allocator.go: round robin after the last address, never the gateway. Undefined if none is free. */
async function allocate(store: Store, {bits, end, start: gateway}: Range): Promise<Address | undefined> {
  const all = Array.from({length: end - gateway + 1}, (_, at) => gateway + at)
  const last = all.indexOf(parseAddress((await store.last()) ?? '') ?? -1)
  for (const value of [...all.slice(last + 1), ...all.slice(0, last + 1)]) {
    if (value === gateway || !(await store.reserve(formatAddress(value)))) continue
    return {address: `${formatAddress(value)}/${bits}`, gateway: formatAddress(gateway)}
  }

  return undefined
}

/** The network of a valid ADD or DEL; throws a Refusal otherwise. */
function admit(command: string, env: Readonly<Record<string, string>>, input: string, release: string): Network {
  const missing = (NEEDED[command] ?? []).filter((name) => !env[name])
  if (missing.length > 0) {
    throw new Refusal(CODE.environment, `required env variables [${missing.join(',')}] missing`)
  }

  const {ipam, name = '', ...document} = readDocument(input)
  if (name === '') throw new Refusal(CODE.network, 'missing network name')
  if (!NAME.test(name)) throw new Refusal(CODE.network, 'invalid characters found in network name', name)
  const id = env['CNI_CONTAINERID'] ?? ''
  if (!NAME.test(id)) throw new Refusal(CODE.environment, 'invalid characters in containerID', id)
  if (!NEEDED[command]) throw new Refusal(CODE.environment, `unknown CNI_COMMAND: ${command}`)
  // A configuration without a version is of the first one (cni pkg/version/conf.go).
  const cniVersion = document.cniVersion || '0.1.0'
  const supported = isAtLeast(release, '1.5.0') ? [...CNI_VERSIONS, '1.1.0'] : CNI_VERSIONS
  if (!supported.includes(cniVersion)) {
    const list = supported.map((one) => `"${one}"`).join(' ')
    const details = `config is "${cniVersion}", plugin supports [${list}]`
    throw new Refusal(CODE.incompatible, 'incompatible CNI versions', details)
  }

  if (!ipam) throw new Refusal(CODE.internal, "IPAM config missing 'ipam' key")
  const subnets = [ipam.subnet, ...(ipam.ranges ?? []).flat().map(({subnet}) => subnet)].filter(Boolean)
  if (subnets.length > 1) throw new Refusal(CODE.internal, 'several ranges are not simulated')
  return {cniVersion, dataDir: ipam.dataDir || '/var/lib/cni/networks', name, range: rangeOf(subnets[0])}
}

function readDocument(input: string): NetworkDocument {
  try {
    // Go reads null as a document without fields.
    return (JSON.parse(input) ?? {}) as NetworkDocument
  } catch {
    throw new Refusal(CODE.decoding, 'error unmarshall network config: unexpected end of JSON input')
  }
}

/** backend/allocator/range.go, Canonicalize */
function rangeOf(subnet: string | undefined): Range {
  if (subnet === undefined) throw new Refusal(CODE.internal, 'no IP ranges specified')
  const cidr = parseCidr(subnet)
  if (!cidr) throw new Refusal(CODE.internal, `invalid CIDR address: ${subnet}`)
  const {base, bits, last} = cidr
  const refuse = (why: string): Refusal => new Refusal(CODE.internal, `invalid range set 0: ${why}`)
  if (bits > 30) throw refuse(`Network ${subnet} too small to allocate from`)
  if (parseAddress(subnet.split('/')[0] ?? '') !== base) {
    const network = formatAddress(base)
    throw refuse(`Network has host bits set. For a subnet mask of length ${bits} the network address is ${network}`)
  }

  return {bits, end: last - 1, start: base + 1}
}

interface Store {
  /** Names of the files of this container and interface. */
  holders(): Promise<string[]>
  last(): Promise<string | undefined>
  release(): Promise<void>
  /** False if the address is reserved. */
  reserve(address: string): Promise<boolean>
}

/** backend/disk/backend.go: one file per address with "id CR LF ifname" in it; files of old versions have the id alone. */
async function openStore(files: Files, folder: string, id: string, ifname: string): Promise<Store> {
  await files.makeDirectory(folder)
  const lock = win32.join(folder, 'lock')
  if (!(await files.status(lock))) await files.write(lock, '')
  const own = `${id.trim()}\r\n${ifname}`
  const last = win32.join(folder, 'last_reserved_ip.0')
  const filesWith = async (...contents: readonly string[]): Promise<string[]> => {
    const names = (await files.list(folder)).sort()
    const texts = await Promise.all(names.map((name) => files.read(win32.join(folder, name))))
    return names.filter((_, index) => contents.includes(texts[index]?.toString().trim() ?? ''))
  }

  return {
    holders: () => filesWith(own, id.trim()),
    last: async () => (await files.read(last))?.toString(),
    async release() {
      const exact = await filesWith(own)
      for (const name of exact.length > 0 ? exact : await filesWith(id.trim())) {
        await files.remove(win32.join(folder, name))
      }
    },
    async reserve(address) {
      const path = win32.join(folder, address)
      if (await files.status(path)) return false
      await files.write(path, own)
      await files.write(last, address)
      return true
    },
  }
}
