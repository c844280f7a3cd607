// The network as the host has it, and what HNS made of it.
import {parseJson} from '../host/document.js'
import type {Win32} from '../machine/win32.js'
import type {Collector} from './collector.js'
import {documentCollector} from './collector.js'
import {programCollector} from './program-collector.js'

const SHOW = ['interface', 'ipv4', 'show'] as const
const NETSH_TABLES: readonly (readonly [file: string, args: readonly string[]])[] = [
  ...['tcp', 'udp'].flatMap((protocol) => [
    [`excluded-ports-${protocol}`, [...SHOW, 'excludedportrange', `protocol=${protocol}`]] as const,
    [`dynamic-ports-${protocol}`, [...SHOW, 'dynamicport', protocol]] as const,
  ]),
  ['neighbours', [...SHOW, 'neighbors']],
  // The only list that has the MTU of each.
  ['interfaces', [...SHOW, 'subinterfaces']],
]
const HNS_LISTS = ['networks', 'endpoints', 'policylists', 'portpools'] as const

export const NETWORK_COLLECTORS: readonly Collector[] = [
  documentCollector('adapters', 'network/adapters.json', ({host}) => host.network.adapters()),
  documentCollector('routes', 'network/routes.json', ({host}) => host.network.routes()),
  ...NETSH_TABLES.map(([file, args]) => programCollector(file, `network/${file}.txt`, 'netsh.exe', args)),
  programCollector('connections', 'network/connections.txt', 'netstat.exe', ['-ano']),
  // Pods have compartments of their own, which the adapters of the host do not show.
  programCollector('ip-configuration', 'network/ipconfig.txt', 'ipconfig.exe', ['/allcompartments', '/all']),
  ...HNS_LISTS.map((name) =>
    documentCollector(`hns-${name}`, `hns/${name}.json`, ({machine: {win32}}) => askHns(win32, `/${name}/`)),
  ),
  documentCollector('hns-version', 'hns/version.json', ({machine: {win32}}) => askHns(win32, '/globals/version')),
]

/** Whole, as HNS has it: what we do not read may be what is wrong. A refusal is an answer too. */
async function askHns(win32: Win32, path: string): Promise<unknown> {
  const {hresult, response} = await win32.hnsCall('GET', path, '')
  const code = `0x${(hresult >>> 0).toString(16).padStart(8, '0')}`
  if (hresult < 0 && response === '') throw new Error(`HNS refuses GET ${path} with ${code}`)
  return {hresult: code, response: parseJson(response) ?? response}
}
