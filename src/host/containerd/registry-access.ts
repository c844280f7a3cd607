// How --registry-config says that a host is reached: with which certificates and headers.
import {win32} from 'node:path'
import {parse as parseToml} from 'smol-toml'
import type {Registries, RegistryFile} from '../../config/model.js'
import {isRecord} from '../../config/shape.js'

/** Fields of a table of hosts.toml. */
export interface HostAccess {
  readonly fields: {readonly [Name in (typeof FIELDS)[number]]?: unknown} & {readonly header?: object}
  /** What its paths are relative to, below certs.d. */
  readonly folder: string
}

const FIELDS = ['ca', 'client', 'dial_timeout', 'header', 'skip_verify'] as const

/** Undefined where it says nothing. `mirror`: a host, perhaps with a port and a path. */
export function accessTo(mirror: string, {files, problems}: Registries): HostAccess | undefined {
  if (problems.length > 0) return undefined
  const [host = ''] = mirror.split('/')
  // In the order in which containerd looks (core/remotes/docker/config/config_windows.go).
  const folders = [host.replace(/:(\d+)$/, '_$1_'), host.replaceAll(':', ''), '_default']
  const inFolder = (folder: string): RegistryFile[] =>
    files.filter(({path}) => win32.dirname(path).toLowerCase() === folder.toLowerCase())
  const folder = folders.find((one) => inFolder(one).length > 0)
  if (folder === undefined) return undefined
  const own = inFolder(folder)
  const hosts = own.find(({path}) => win32.basename(path).toLowerCase() === 'hosts.toml')
  const table = hosts ? tableOf(host, parseToml(hosts.content)) : ofDocker(own.map(({path}) => win32.basename(path)))
  const fields = Object.fromEntries(
    FIELDS.flatMap((name) => (table?.[name] === undefined ? [] : [[name, table[name]]])),
  )
  return Object.keys(fields).length === 0 ? undefined : {fields, folder}
}

/** Its own table, or else what stands before all tables, which is about the registry itself. */
function tableOf(
  host: string,
  {host: hosts, server, ...root}: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const own = Object.entries(isRecord(hosts) ? hosts : {}).find(([address]) => isAt(address, host))?.[1]
  if (isRecord(own)) return own
  return server === undefined || (typeof server === 'string' && isAt(server, host)) ? root : undefined
}

function isAt(address: string, host: string): boolean {
  const full = address.startsWith('http') ? address : `https://${address}`
  return URL.canParse(full) && new URL(full).host === new URL(`https://${host}`).host
}

/** Without hosts.toml: as containerd reads such a folder (core/remotes/docker/config/hosts.go, loadCertFiles). */
function ofDocker(names: readonly string[]): Record<string, unknown> {
  const ca = names.filter((name) => name.endsWith('.crt'))
  const client = names
    .filter((name) => name.endsWith('.cert'))
    .map((name) => {
      const key = name.replace(/cert$/, 'key')
      return names.includes(key) ? [name, key] : name
    })
  return {...(ca.length > 0 && {ca}), ...(client.length > 0 && {client})}
}
