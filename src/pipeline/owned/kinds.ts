// Every kind of entry, in the order in which a step's things are removed.
import type {Decided} from '../../config/model.js'
import type {StepContext, StepId} from '../run/step.js'
import {configurationRead, imageProof, type MemoEntry, rootOpened} from '../ledger/memo.js'
import {directory, type DirectoryEntry} from '../desired/files/folder.js'
import {environment, type EnvironmentEntry, environmentNotified, pathEntry} from '../desired/environment.js'
import {download, file, type FileEntry, filesBefore} from '../desired/files/file-kind.js'
import {firewallRule, type FirewallRuleEntry} from '../desired/network/firewall-rule.js'
import {dockerNetwork, type ImageEntry, imagePull, imageTag} from '../desired/containers/image.js'
import type {Kind} from '../ledger/kind.js'
import {milestone, type MilestoneEntry, release, upgrade} from '../ledger/milestone.js'
import {network, networkBefore, type NetworkEntry, networkVerified} from '../desired/network/hns-network.js'
import {node, type NodeEntry} from '../leave/node-kind.js'
import {presentContainerd, type PresentContainerdEntry} from '../desired/containers/recorded-containerd.js'
import {reservation, type ReservationEntry} from '../desired/network/reservation.js'
import {security, type SecurityEntry} from '../desired/files/access-list.js'
import {service, type ServiceEntry, startType} from '../desired/services/own-services.js'
import {tree, type TreeEntry} from '../desired/files/tree.js'

/** What was created or changed, with what is needed to undo it. */
export type JournalEntry =
  | DirectoryEntry
  | EnvironmentEntry
  | FileEntry
  | FirewallRuleEntry
  | ImageEntry
  | MemoEntry
  | MilestoneEntry
  | NetworkEntry
  | NodeEntry
  | PresentContainerdEntry
  | ReservationEntry
  | SecurityEntry
  | ServiceEntry
  | TreeEntry

export type JournalKind = JournalEntry['kind']

export const KINDS: Readonly<Record<JournalKind, Kind>> = {
  service,
  'start-type': startType,
  node,
  'firewall-rule': firewallRule,
  'path-entry': pathEntry,
  environment,
  'environment-told': environmentNotified,
  reservation,
  'files-before': filesBefore,
  download,
  file,
  tree,
  // After their content, and before access lists, which a removed folder does not need.
  directory,
  security,
  network,
  'network-before': networkBefore,
  'network-verified': networkVerified,
  'docker-network': dockerNetwork,
  'image-tag': imageTag,
  'image-pull': imagePull,
  'image-proof': imageProof,
  'configuration-read': configurationRead,
  'root-opened': rootOpened,
  'present-containerd': presentContainerd,
  loss: milestone,
  release,
  reset: milestone,
  setup: milestone,
  upgrade,
}

const kindOf = ({kind}: {readonly kind: string}): Kind | undefined =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as JournalKind] : undefined

/** What an entry is about. Windows ignores case in names. */
export function subjectOf(entry: JournalEntry): string {
  const name = (entry as unknown as Record<string, unknown>)[kindOf(entry)?.names ?? '']
  return `${entry.kind} ${typeof name === 'string' ? name : ''}`.toLowerCase()
}

/** Has it the text that names its thing, where its kind has one? */
export function isNamed(entry: JournalEntry): boolean {
  const {names} = kindOf(entry) ?? {}
  return names === undefined || typeof (entry as unknown as Record<string, unknown>)[names] === 'string'
}

/** The path that an entry names. A forged entry may have one that its kind knows nothing of. */
export function pathOf(entry: JournalEntry): string | undefined {
  return kindOf(entry)?.names === 'path' ? (entry as {readonly path?: string}).path : undefined
}

/**
 * Could a setup with this configuration have recorded this line? Whoever can write the journal decides what reset
 * removes.
 */
export function possibleEntries(
  config: Decided,
): (line: {readonly entry: JournalEntry; readonly step: StepId}) => boolean {
  return ({entry, step}) => {
    const kind = kindOf(entry)
    return kind?.steps.includes(step) === true && (kind.accepts?.({...entry}, step, config) ?? true)
  }
}

/** Removes a step: what it recorded, kind by kind. */
export const removes =
  (step: StepId) =>
  async (context: StepContext, isLast = false): Promise<void> => {
    for (const {remove} of Object.values(KINDS)) await remove?.(context, step, isLast)
  }
