// Could a setup with this base directory have noted this? Whoever can write to the journal tells reset what to take
// away: an entry counts only for places and names that are ours by themselves, whatever the journal says.
import {win32} from 'node:path'
import {FIREWALL_RULES} from '../../components/firewall.js'
import {HOST_NETWORK} from '../../components/images.js'
import {parseCidr} from '../../config/cidr.js'
import {KUBELET_KEYS, layoutOf} from '../../config/layout.js'
import {NETWORK_NAME, PAUSE_IMAGE, type SetupConfig} from '../../config/model.js'
import {keyOf, closedFolders, setOf} from '../../host/security/known-paths.js'
import {parseSddl} from '../../machine/sddl.js'
import type {JournalEntry, JournalKind, JournalLine} from './journal.js'
import {
  CONFIGURED,
  filesOf,
  foldersOf,
  NETWORKS,
  SAFE_FOLDERS,
  SERVICES,
  stepOfDownload,
  STEPS_OF_KIND,
  TREES,
} from './entry-owners.js'
import type {StepId} from '../run/step-id.js'

/** Of an entry that may be anything but its kind. */
type Fields = Readonly<Partial<Record<string, unknown>>>
type Judge = (fields: Fields, step: StepId) => boolean

export const ASIDE = '.before-k8s-win'

/** What Windows lets a variable have. */
const LONGEST_VARIABLE = 32_767
const NETWORK_ID = /^[\da-f]{64}$/
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

export function possibleEntries(config: SetupConfig): (line: JournalLine) => boolean {
  const judges = judgesOf(config)
  return ({entry, step}) =>
    Object.hasOwn(judges, entry.kind) && STEPS_OF_KIND[entry.kind].includes(step) && judges[entry.kind](entry, step)
}

function judgesOf(config: SetupConfig): Readonly<Record<JournalKind, Judge>> {
  const layout = layoutOf(config.baseDir)
  const files = filesOf(config)
  const folders = foldersOf(config)
  const {folders: closed, inside} = closedFolders(config.baseDir)
  const isClosed = (path: string): boolean => (closed.has(keyOf(path)) && !isRoot(path)) || isChildOf(inside, path)

  return {
    'configuration-read': ({name, read}, step) => CONFIGURED.get(name) === step && typeof read === 'boolean',
    directory: ({path}, step) => typeof path === 'string' && folders.get(step)?.has(keyOf(path)) === true,
    'docker-network': ({id, name}) =>
      name === HOST_NETWORK && (id === undefined || (typeof id === 'string' && NETWORK_ID.test(id))),
    download({path}, step) {
      if (!isChildOf(setOf([layout.downloads]), path)) return false
      const name = win32.basename(path)
      return isDownloadName(name) && stepOfDownload(name) === step
    },
    environment: ({name, previous}) => name === 'KUBECONFIG' && (previous === undefined || isVariable(previous)),
    'environment-told': ({told}) => typeof told === 'boolean',
    file: ({path, previous}, step) =>
      typeof path === 'string' &&
      files.get(keyOf(path)) === step &&
      (previous === undefined || previous === `${path}${ASIDE}`),
    'files-before': ({names, path}) =>
      typeof path === 'string' && keyOf(path) === keyOf(KUBELET_KEYS) && isTextList(names),
    'firewall-rule': ({name}) =>
      isOneOf(
        FIREWALL_RULES.map((rule) => rule.name),
        name,
      ),
    'image-proof': ({build, digest, id, image}) =>
      typeof build === 'number' && isId(id) && isBaseImage(image) && (digest === undefined || isId(digest)),
    'image-pull': ({reference}) => isBaseImage(reference),
    'image-tag': ({id, previousId, reference}, step) =>
      (step === 'pause-image'
        ? reference === `${PAUSE_IMAGE}:latest`
        : isBaseImage(reference) && reference.endsWith(':latest')) &&
      [id, previousId].every((one) => one === undefined || isId(one)),
    loss: () => true,
    network: ({name}, step) => NETWORKS.get(name) === step,
    'network-before': ({adapter, id, snapshot}) =>
      typeof adapter === 'string' && typeof id === 'string' && isSnapshot(snapshot),
    'network-verified': ({id}) => typeof id === 'string',
    node: ({name}) => typeof name === 'string' && NODE.test(name),
    'path-entry': ({folder}) => typeof folder === 'string' && keyOf(folder) === keyOf(layout.binaries),
    reservation: ({network, subnet}) =>
      network === NETWORK_NAME && typeof subnet === 'string' && parseCidr(subnet) !== undefined,
    reset: () => true,
    security: ({path, previous}, step) =>
      typeof path === 'string' &&
      (step === 'base-dir' ? isClosed(path) : SAFE_FOLDERS.get(keyOf(path)) === step) &&
      typeof previous === 'string' &&
      parseSddl(previous) !== undefined,
    service: ({name}, step) => SERVICES.get(name) === step,
    setup: () => true,
    tree: ({path}, step) => typeof path === 'string' && TREES.get(keyOf(path)) === step,
  }
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
  return ['addresses', 'dnsServers', 'gateways', 'routes'].every((key) => isTextList((snapshot as Fields)[key]))
}

const isTextList = (list: unknown): boolean => Array.isArray(list) && list.every((one) => typeof one === 'string')
