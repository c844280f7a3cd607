// What a step's removal would take away, in words: what the journal names and is still there. Reads only.
import {win32} from 'node:path'
import {isOurRule} from '../../components/firewall.js'
import {layoutOf} from '../../config/layout.js'
import type {GoingFiles} from './pretend-removal.js'
import {findOurNetwork} from '../desired/host-network.js'
import type {JournalEntry, JournalKind} from '../ledger/journal.js'
import {keysMadeSince} from '../desired/kubelet-keys.js'
import {wouldRemoveNode} from '../desired/leave-cluster.js'
import {whyNetworkStays} from '../desired/remove-network.js'
import type {StepContext} from '../run/step.js'
import type {StepId} from '../run/step-id.js'
import type {Removal} from '../run/run-removals.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal' | 'warn'>

const MOST_NAMED = 5

/** `left`: what of its entries is not followed. What goes is noted in `going`; what else would stay is told. */
export async function claimsOf(
  context: Context,
  {step}: Removal,
  left: readonly JournalKind[],
  going: GoingFiles,
): Promise<string[]> {
  const {host, journal} = context
  const isFollowed = (kind: JournalKind): boolean => !left.includes(kind)
  const things: string[] = []
  for (const line of journal.all()) {
    if (line.step !== step.id || !isFollowed(line.entry.kind)) continue
    const thing = await describe(context, line.entry)
    if (thing !== undefined) things.push(thing)
  }

  // The access lists of the base directory are given back before its files go, those of the daemons' folders after.
  const isFirst = step.id === 'base-dir'
  const before = isFirst ? await accessOf(context, step.id, going) : []
  for (const path of await going.takeTrees(journal, step.id)) {
    const isFolder = (await host.files.status(path))?.kind === 'directory'
    things.push(`${path}${isFolder ? ', with all that is in it' : ''}`)
  }

  const files = new Map<string, Set<string>>()
  const downloads = isFollowed('download') ? journal.entries(step.id, 'download').map(({path}) => path) : []
  const gone = await going.take(downloads)
  const keys = await going.take(step.id === 'kubelet-service' ? await keysMadeSince(host.files, journal) : [])
  const {back, taken: own} = await going.takeFiles(journal, step.id)
  const taken = [...gone, ...keys, ...own]
  // As they were made.
  for (const path of taken.reverse()) {
    const folder = win32.dirname(path)
    files.set(folder, (files.get(folder) ?? new Set()).add(win32.basename(path)))
  }

  const grouped = [...files].map(([folder, names]) => `${folder}: ${[...names].join(', ')}`)
  const empty = await going.takeEmpty(journal.entries(step.id, 'directory').map(({path}) => path))
  const access = isFirst ? before : await accessOf(context, step.id, going)
  const replaced = back.reverse().map((path) => `our ${path}: the one that was there before comes back`)
  return [...new Set([...things, ...grouped, ...replaced, ...foldersTold(empty), ...access])]
}

/** Others may put something there until then: what is not empty stays. */
export const foldersTold = (paths: readonly string[]): string[] =>
  paths.length === 0 ? [] : [`${paths.length === 1 ? 'the folder' : 'the folders'} ${paths.join(', ')}, if empty`]

async function accessOf({host, journal}: Context, step: StepId, going: GoingFiles): Promise<string[]> {
  // The oldest entry of a path has what it was before us.
  const before = new Map(journal.entries(step, 'security').map((entry) => [entry.path, entry.previous]))
  const paths: string[] = []
  for (const [path, previous] of before) {
    if ((await going.isThere(path)) && (await host.security.of(path)) !== previous) paths.push(path)
  }

  if (paths.length === 0) return []
  const more = paths.length - MOST_NAMED
  const named = `${paths.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return [`our access list of ${named}: what it was before comes back`]
}

/** Undefined for what is not there, and for notes that name nothing. */
async function describe(context: Context, entry: JournalEntry): Promise<string | undefined> {
  const {config, host, journal, warn} = context
  const ifThere = async (look: Promise<unknown>, text: string): Promise<string | undefined> => {
    // What cannot be looked at now is told: it may well be there.
    const seen = await look.catch(() => true)
    return seen === undefined || seen === false ? undefined : text
  }

  switch (entry.kind) {
    case 'docker-network': {
      return ifThere(findOurNetwork(context), `the Docker network ${entry.name}`)
    }
    case 'environment': {
      const isOurs = host.environment.get(entry.name).then((value) => value === layoutOf(config.baseDir).kubeconfig)
      return ifThere(isOurs, `the variable ${entry.name}`)
    }
    case 'environment-told': {
      const isTold = journal.entries('machine-environment', 'environment-told')[0]?.told ?? true
      return isTold ? undefined : 'running programs are notified of PATH and KUBECONFIG'
    }
    case 'firewall-rule': {
      const found = host.firewall
        .find(entry.name)
        .then((rules) => rules.length > 0 && rules.every(({description}) => isOurRule(description)))
      return ifThere(found, `the firewall rule "${entry.name}"`)
    }
    case 'image-pull': {
      return ifThere(host.docker.image(entry.reference), `the image ${entry.reference}`)
    }
    case 'image-tag': {
      const isOurs = host.docker
        .image(entry.reference)
        .then((image) => image !== undefined && (entry.id ?? image.id) === image.id)
      return ifThere(isOurs, `the tag ${entry.reference}`)
    }
    case 'network': {
      const isOurs = host.hns.network(entry.name).then((network) => {
        const left = network && whyNetworkStays(network)
        if (left !== undefined) warn(left)
        return network !== undefined && left === undefined
      })
      return ifThere(isOurs, `the HNS network ${entry.name}, with its endpoints and policy lists`)
    }
    case 'node': {
      return (await wouldRemoveNode(context, entry.name)) ? `the node ${entry.name} in the cluster` : undefined
    }
    case 'path-entry': {
      return ifThere(host.environment.isOnPath(entry.folder), `${entry.folder} on PATH`)
    }
    case 'reservation': {
      const {hostLocal} = layoutOf(config.baseDir)
      if (!(await host.files.status(hostLocal))) return undefined
      return ifThere(host.ipam.find(entry.network), `the source address of kube-proxy on ${entry.network}`)
    }
    case 'service': {
      return ifThere(host.services.isOurs(entry.name), `the service ${entry.name}`)
    }
    default: {
      return undefined
    }
  }
}
