// Files of the node: its configuration, what the last runs noted, and what lies in its base directory.
import {win32} from 'node:path'
import {IPAM_STORE, layoutOf, NET_CONF, SUBNET_ENV} from '../config/layout.js'
import {isPlainPath} from '../host/security/plain-path.js'
import {trustedFiles} from '../host/security/trust.js'
import type {Files} from '../machine/files.js'
import type {Collected, Collector, CollectorContext, Content} from './collector.js'
import {documentCollector} from './collector.js'
import {readEnd} from './read-end.js'

/** More than any of these has on a healthy node. */
const LARGEST = 512 * 1024
const MOST_NAMES = 500

interface NodeFile {
  readonly as: (text: string) => Content
  readonly id: string
  readonly path: string
  readonly source: (context: CollectorContext) => string
}

const asText = (text: string): Content => ({text})
const asLines = (lines: string): Content => ({lines})
const ofLayout =
  (key: 'cniConfig' | 'journal' | 'kubeletConfig' | 'lock' | 'nodeConfig' | 'result') =>
  ({config}: CollectorContext): string =>
    layoutOf(config.baseDir)[key]

const NODE_FILES: readonly NodeFile[] = [
  {as: asText, id: 'node-yaml', path: 'configuration/node.yaml', source: ofLayout('nodeConfig')},
  {as: asText, id: 'kubelet-config', path: 'configuration/kubelet-config.yaml', source: ofLayout('kubeletConfig')},
  {as: asJson, id: 'cni-conf', path: 'configuration/cni.conf', source: ofLayout('cniConfig')},
  {as: asJson, id: 'net-conf', path: 'configuration/net-conf.json', source: () => NET_CONF},
  {as: asText, id: 'subnet-env', path: 'configuration/subnet.env', source: () => SUBNET_ENV},
  {as: asLines, id: 'journal', path: 'state/journal.ndjson', source: ofLayout('journal')},
  {as: asJson, id: 'result', path: 'state/result.json', source: ofLayout('result')},
  {as: asJson, id: 'lock', path: 'state/lock.json', source: ofLayout('lock')},
]

/** What is no JSON is shown as it is: that may be what is wrong. */
function asJson(text: string): Content {
  try {
    return {document: JSON.parse(text)}
  } catch {
    return {text}
  }
}

export const FILE_COLLECTORS: readonly Collector[] = [
  ...NODE_FILES.map(({as, id, path, source}) => ({
    collect: (context: CollectorContext) =>
      collectFile(trustedFiles(context.host.files, context.host.trust), source(context), path, as),
    id,
  })),
  documentCollector('base-directory', 'state/base-directory.json', ({config, host}) =>
    listing(host.files, [
      config.baseDir,
      layoutOf(config.baseDir).state,
      layoutOf(config.baseDir).cniBinaries,
      layoutOf(config.baseDir).cniConfigFolder,
      layoutOf(config.baseDir).binaries,
      layoutOf(config.baseDir).downloads,
    ]),
  ),
  documentCollector('cni-networks', 'state/cni-networks.json', async ({host}) => {
    const networks = await host.files.list(IPAM_STORE)
    return listing(
      host.files,
      networks.map((name) => win32.join(IPAM_STORE, name)),
    )
  }),
]

/** The simulated host's record of all that was asked of it. */
export function transcriptCollector(path: string): Collector {
  return {
    collect: (context) => collectFile(context.machine.files, path, 'simulator/transcript.ndjson', asLines),
    id: 'transcript',
  }
}

async function collectFile(files: Files, source: string, path: string, as: NodeFile['as']): Promise<Collected> {
  const end = await readEnd(files, source, LARGEST)
  if (!end) return {entries: []}
  const cut = end.cutBytes === 0 ? {} : {cut: `the first ${end.cutBytes} bytes`}
  return {entries: [{content: as(end.text), path, ...cut}]}
}

/** Names, kinds, sizes and times; links are told, and not followed. */
async function listing(files: Files, folders: readonly string[]): Promise<unknown> {
  const listed = await Promise.all(
    folders.map(async (folder) => {
      if (!(await isPlainPath(files, folder))) return [folder, 'a link, not followed'] as const
      const names = (await files.list(folder)).slice(0, MOST_NAMES)
      const entries = await Promise.all(
        names.map(async (name) => {
          const status = await files.status(win32.join(folder, name))
          return status && {...status, modified: new Date(status.modifiedMs).toISOString(), modifiedMs: undefined, name}
        }),
      )
      return [folder, entries] as const
    }),
  )
  return Object.fromEntries(listed)
}
