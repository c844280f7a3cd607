// Could a setup with this base directory have noted this? Whoever can write to the journal tells reset what to take
// away: an entry counts only for places and names that are ours by themselves, whatever the journal says.
import {win32} from 'node:path'
import {programPaths} from '../artifacts/programs.js'
import {FIREWALL_RULES} from '../components/firewall.js'
import {EXTERNAL_NETWORK, FLANNELD} from '../components/flanneld.js'
import {KUBE_PROXY} from '../components/kube-proxy.js'
import {KUBELET} from '../components/kubelet.js'
import {parseCidr} from '../config/cidr.js'
import {CNI_TREES, IPAM_STORE, KUBELET_TREES, layoutOf, NET_CONF, SUBNET_ENV} from '../config/layout.js'
import {NETWORK_NAME, PAUSE_IMAGE, type SetupConfig} from '../config/model.js'
import {keyOf, ownFiles, placesOf, setOf} from '../host/folder-places.js'
import {parseSddl} from '../machine/sddl.js'
import type {JournalEntry, JournalKind} from './journal.js'

/** Of an entry that may be anything but its kind. */
type Fields = Readonly<Partial<Record<string, unknown>>>
type Judge = (fields: Fields) => boolean

export const ASIDE = '.before-k8s-win'

const SERVICES = [FLANNELD, KUBE_PROXY, KUBELET]
/** What Windows lets a variable have. */
const LONGEST_VARIABLE = 32_767
const ID = /^sha256:[\da-f]{64}$/
/** No letter that would mean something in an address. */
const BASE_IMAGE = /^[\w.:-]+(?:\/[\w.-]+)*\/windows\/(?:nanoserver|servercore):\w[\w.-]{0,127}$/
const NODE = /^[\da-z](?:[\d.a-z-]{0,251}[\da-z])?$/
/** Names of what catalog.ts fetches, of any version. */
const DOWNLOAD =
  /^(?:cni-plugins-windows-amd64-v[\w.+-]+\.tgz|(?:flannel-amd64|flanneld|shawl)-v[\w.+-]+\.exe|kubernetes-node-windows-amd64-v[\w.+-]+\.tar\.gz)$/

export const isDownloadName = (name: string): boolean => DOWNLOAD.test(name)

/** The entry's own path, where it has one: it is then looked at for links, too. */
export function pathOf(entry: JournalEntry): string | undefined {
  const {path} = entry as Fields
  return typeof path === 'string' ? path : undefined
}

export function possibleEntries(config: SetupConfig): (entry: JournalEntry) => boolean {
  const judges = judgesOf(config)
  return (entry) => {
    const judge = Object.hasOwn(judges, entry.kind) ? judges[entry.kind] : undefined
    return judge?.(entry) ?? false
  }
}

function judgesOf(config: SetupConfig): Readonly<Record<JournalKind, Judge>> {
  const layout = layoutOf(config.baseDir)
  const places = placesOf(config.baseDir)
  const trees = setOf([...KUBELET_TREES, ...CNI_TREES, SUBNET_ENV, win32.join(IPAM_STORE, NETWORK_NAME)])
  const files = setOf([...ownFiles(config.baseDir), ...programPaths(config), layout.cniConfig, NET_CONF])
  // Drives have no folder of their own that could be made or removed.
  const folders = new Set([...places.wanted, ...places.folders, ...parentsOf([...trees, keyOf(NET_CONF)])])
  const closed = new Set([...places.folders, ...places.outside])
  const isIn = (paths: ReadonlySet<string>, path: unknown): boolean =>
    typeof path === 'string' && paths.has(keyOf(path)) && !isRoot(path)

  return {
    'configuration-read': ({name, read}) => isOneOf(SERVICES, name) && typeof read === 'boolean',
    directory: ({path}) => isIn(folders, path),
    download: ({path}) => isChildOf(setOf([layout.downloads]), path) && isDownloadName(win32.basename(path)),
    environment: ({name, previous}) => name === 'KUBECONFIG' && (previous === undefined || isVariable(previous)),
    'environment-told': ({told}) => typeof told === 'boolean',
    file: ({path, previous}) => isIn(files, path) && (previous === undefined || previous === `${String(path)}${ASIDE}`),
    'firewall-rule': ({name}) =>
      isOneOf(
        FIREWALL_RULES.map((rule) => rule.name),
        name,
      ),
    'image-proof': ({build, id, image}) => typeof build === 'number' && isId(id) && isBaseImage(image),
    'image-pull': ({reference}) => isBaseImage(reference),
    'image-tag': ({id, previousId, reference}) =>
      (reference === `${PAUSE_IMAGE}:latest` || (isBaseImage(reference) && reference.endsWith(':latest'))) &&
      [id, previousId].every((one) => one === undefined || isId(one)),
    network: ({name}) => isOneOf([NETWORK_NAME, EXTERNAL_NETWORK], name),
    'network-before': ({adapter, id, snapshot}) =>
      typeof adapter === 'string' && typeof id === 'string' && isSnapshot(snapshot),
    'network-verified': ({id}) => typeof id === 'string',
    node: ({name}) => typeof name === 'string' && NODE.test(name),
    'path-entry': ({folder}) => typeof folder === 'string' && keyOf(folder) === keyOf(layout.binaries),
    reservation: ({network, subnet}) =>
      network === NETWORK_NAME && typeof subnet === 'string' && parseCidr(subnet) !== undefined,
    reset: () => true,
    security: ({path, previous}) =>
      (isIn(closed, path) || isChildOf(new Set([...places.folders, ...places.drivers]), path)) &&
      typeof previous === 'string' &&
      parseSddl(previous) !== undefined,
    service: ({name}) => isOneOf(SERVICES, name),
    tree: ({path}) => isIn(trees, path),
  }
}

function parentsOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const parent = win32.dirname(path)
    return isRoot(parent) ? [] : [parent, ...parentsOf([parent])]
  })
}

const isRoot = (path: string): boolean => win32.dirname(path) === path

const isOneOf = (names: readonly string[], name: unknown): boolean => typeof name === 'string' && names.includes(name)

/** By a name of its own: a path in its normal spelling, with nothing in it that Windows takes for something else. */
function isChildOf(folders: ReadonlySet<string>, path: unknown): path is string {
  if (typeof path !== 'string' || path !== win32.normalize(path)) return false
  // eslint-disable-next-line no-control-regex -- Windows forbids control characters in names
  const isName = /^[^\u0000-\u001F"*/:<>?\\|]+$/.test(win32.basename(path)) && !/[ .]$/.test(path)
  return isName && folders.has(keyOf(win32.dirname(path)))
}

const isVariable = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= LONGEST_VARIABLE && !value.includes('\0')
const isId = (id: unknown): boolean => typeof id === 'string' && ID.test(id)
const isBaseImage = (reference: unknown): reference is string =>
  typeof reference === 'string' && BASE_IMAGE.test(reference) && !reference.includes('..')

function isSnapshot(snapshot: unknown): boolean {
  if (typeof snapshot !== 'object' || snapshot === null) return false
  return ['addresses', 'dnsServers', 'gateways', 'routes'].every((key) => {
    const list = (snapshot as Fields)[key]
    return Array.isArray(list) && list.every((one) => typeof one === 'string')
  })
}
