// The network as the host has it, and what HNS made of it.
import {NETSH} from '../config/layout.js'
import {parseJson} from '../host/document.js'
import type {Win32} from '../machine/win32.js'
import type {Collector, CollectorContext} from './collector.js'
import {documentCollector} from './collector.js'

const NETSH_MS = 10_000
/** What netsh prints is for people, in the system's language: nothing is decided from it. */
const NETSH_TABLES: readonly (readonly [file: string, args: readonly string[]])[] = ['tcp', 'udp'].flatMap(
  (protocol) => [
    [`excluded-ports-${protocol}`, ['interface', 'ipv4', 'show', 'excludedportrange', `protocol=${protocol}`]] as const,
    [`dynamic-ports-${protocol}`, ['interface', 'ipv4', 'show', 'dynamicport', protocol]] as const,
  ],
)
const HNS_LISTS = ['networks', 'endpoints', 'policylists', 'portpools'] as const

export const NETWORK_COLLECTORS: readonly Collector[] = [
  documentCollector('adapters', 'network/adapters.json', ({host}) => host.network.adapters()),
  documentCollector('routes', 'network/routes.json', ({host}) => host.network.routes()),
  ...NETSH_TABLES.map(([file, args]): Collector => ({
    async collect({machine, signal}: CollectorContext) {
      const options = {deadlineMs: NETSH_MS, effect: 'read', signal} as const
      const {exitCode, stderr, stdout} = await machine.run(NETSH, args, options)
      if (exitCode !== 0)
        throw new Error(`netsh ${args.join(' ')} ended with ${exitCode}: ${`${stdout}${stderr}`.trim()}`)
      return {entries: [{content: {text: stdout}, path: `network/${file}.txt`}]}
    },
    id: file,
  })),
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
