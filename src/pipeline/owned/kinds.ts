// Every kind of entry, in the order in which a step's things are removed.
import type {Decided} from '../../config/model.js'
import type {Step, StepContext, StepId} from '../run/step.js'
import {configurationRead} from '../desired/services/configuration-read.js'
import {dockerNetwork, imageProof, imagePull, imageTag} from '../desired/containers/image.js'
import {rootOpened} from '../desired/containers/containerd-root.js'
import {directory} from '../desired/files/folder.js'
import {environment, environmentNotified, pathEntry} from '../desired/environment.js'
import {download} from '../desired/programs/download.js'
import {file} from '../desired/files/file.js'
import {findFiles} from '../desired/files/find-files.js'
import {filesBefore} from '../desired/cluster/kubelet-store.js'
import {firewallRule} from '../desired/network/firewall-rule.js'
import type {JournalEntry, JournalKind} from '../ledger/entries.js'
import type {Kind} from '../ledger/kind.js'
import {began, runEntry, release, setup, upgrade} from '../ledger/run-entries.js'
import {network} from '../desired/network/hns-network.js'
import {networkBefore, networkVerified} from '../desired/network/network-records.js'
import {node} from '../leave/leave-cluster.js'
import {presentContainerd, startType} from '../desired/containers/present-containerd.js'
import {reservation} from '../desired/network/reservation.js'
import {security} from '../desired/files/safe-folder.js'
import {service} from '../desired/services/service.js'
import {tree} from '../desired/files/tree.js'

export const KINDS: Readonly<Record<JournalKind, Kind>> = {
  service,
  'start-type': startType,
  node,
  'firewall-rule': firewallRule,
  'path-entry': pathEntry,
  environment,
  'environment-notified': environmentNotified,
  reservation,
  'files-before': filesBefore,
  download,
  file: {...file, find: {place: "the node's files", search: findFiles}},
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
  began,
  loss: runEntry,
  release,
  reset: runEntry,
  setup,
  upgrade,
}

const kindOf = ({kind}: {readonly kind: string}): Kind | undefined =>
  Object.hasOwn(KINDS, kind) ? KINDS[kind as JournalKind] : undefined

/**
 * Could a setup with this configuration have recorded this line? Whoever can write the journal decides what reset
 * removes.
 */
export function possibleEntries(
  config: Decided,
): (line: {readonly entry: JournalEntry; readonly step: StepId}) => boolean {
  return ({entry, step}) => {
    const kind = kindOf(entry)
    if (!kind?.accepts) return kind?.steps?.includes(step) === true
    return (kind.steps?.includes(step) ?? true) && kind.accepts({...entry}, step, config)
  }
}

/** Removes a step: what it recorded, kind by kind. */
export const removes =
  (step: StepId) =>
  async (context: StepContext, isLast = false): Promise<void> => {
    for (const {remove} of Object.values(KINDS)) await remove?.(context, step, isLast)
  }

/** `isLast`: with --purge. */
export const removeStep = ({id, remove = removes(id)}: Step, context: StepContext, isLast = false): Promise<void> =>
  remove(context, isLast)
