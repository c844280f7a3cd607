// What a daemon creates by itself, with everything in it.
import {win32} from 'node:path'
import {FLANNEL_STATE_FOLDER, IPAM_STORE, KUBELET_DRIVERS, layoutOf, SUBNET_ENV} from '../../../config/layout.js'
import {KUBELET, NETWORK_NAME} from '../../../config/model.js'
import {keyOf} from '../../../host/security/known-paths.js'
import type {Files} from '../../../machine/files.js'
import {isPart, isWrittenByKubelet} from '../cluster/join-state.js'
import {removePath} from './remove-path.js'
import type {StepContext, StepId} from '../../run/step.js'
import {claimFolders, type Kind, readText, type Search, stepsOf} from '../../ledger/kind.js'
import type {JournalEntry} from '../../ledger/entries.js'
import {isForeignService} from '../adoption.js'
import {absentFolders, folderEntries} from './folder.js'
import {DAEMON_PLACES} from '../../../config/places.js'

const STORE = win32.join(IPAM_STORE, NETWORK_NAME)
const STEPS_OF = stepsOf([
  ...DAEMON_PLACES.filter(({tree: isTree}) => isTree),
  {path: SUBNET_ENV, steps: ['flanneld-service']},
])
/** subnet.env of flanneld has these lines only. */
const SUBNET_LINES = /^(?:FLANNEL_(?:IPMASQ|IPV6_NETWORK|IPV6_SUBNET|MTU|NETWORK|SUBNET)=.*(?:\r?\n|$))+$/
/** host-local writes a file per address, the last reserved address, and its lock. */
const RESERVED = /^(?:\d{1,3}(?:\.\d{1,3}){3}|last_reserved_ip\.\d+|lock)$/

export const tree: Kind = {
  accepts: ({path}, step, config) =>
    typeof path === 'string' &&
    (STEPS_OF.get(keyOf(path))?.has(step) === true ||
      // Written by the kubelet of a node that joins with a token.
      (step === 'kubelet-service' && keyOf(path) === keyOf(layoutOf(config.baseDir).kubeconfig))),
  async remove(context, step) {
    const {files} = context.host
    for (const {path} of context.journal.entries(step, 'tree')) {
      if (await isUsersKubeconfig(context, path)) {
        context.warn(`${path} stays: the kubelet did not write it`)
        continue
      }

      // containerd's images stay, as Docker's do; its step discards them.
      if (step === 'containerd-service') continue
      const hasDrivers = (await driversBelow(files, path)).length > 0
      for (const one of hasDrivers ? await besideDrivers(files, path) : [path]) await removePath(context, one)
    }
  },
}

/** Where flanneld is this node's. */
export async function findFlannelFiles(search: Search): Promise<void> {
  const {claim, host} = search
  if (SUBNET_LINES.test((await readText(search, SUBNET_ENV)) ?? '')) {
    await claimFolders(search, 'flanneld-service', FLANNEL_STATE_FOLDER)
    claim('flanneld-service', {kind: 'tree', path: SUBNET_ENV})
  }

  const isReserved = (await host.files.list(STORE)).every((name) => RESERVED.test(name))
  if (isReserved && (await host.files.status(STORE))) claim('source-vip', {kind: 'tree', path: STORE})
}

/** Put into the place of the one that the kubelet wrote. */
async function isUsersKubeconfig({config, host}: StepContext, path: string): Promise<boolean> {
  if (keyOf(path) !== keyOf(layoutOf(config.baseDir).kubeconfig)) return false
  const text = await readText({host}, path)
  return text !== undefined && !isWrittenByKubelet(text) && !isPart(text)
}

/**
 * Names of FlexVolume drivers below this folder: the kubelet creates their folder, but only administrators put drivers
 * into it.
 */
export async function driversBelow(files: Files, folder: string): Promise<string[]> {
  return isOnTheWay(folder) ? files.list(KUBELET_DRIVERS) : []
}

/** Everything in this folder except the drivers. */
async function besideDrivers(files: Files, folder: string): Promise<string[]> {
  if (keyOf(folder) === keyOf(KUBELET_DRIVERS)) return []
  const paths = (await files.list(folder)).map((name) => win32.join(folder, name))
  const found = await Promise.all(
    paths.map((path) => (isOnTheWay(path) ? besideDrivers(files, path) : Promise.resolve([path]))),
  )
  return found.flat()
}

const isOnTheWay = (folder: string): boolean => `${keyOf(KUBELET_DRIVERS)}\\`.startsWith(`${keyOf(folder)}\\`)

/**
 * Records that what a daemon creates here is k8s-win's, where nothing exists yet, or where another installation's
 * kubelet is adopted. What a kubelet of k8s-win has and the journal does not name may have been there before setup.
 */
export async function claimTrees(
  context: Pick<StepContext, 'changed' | 'config' | 'host' | 'journal'>,
  step: StepId,
  ...paths: readonly string[]
): Promise<void> {
  const entries: JournalEntry[] = []
  const isTakenOver = await isForeignService(context, KUBELET)
  for (const path of paths) {
    if (!isTakenOver && (await context.host.files.status(path))) continue
    const parent = win32.dirname(path)
    entries.push(...(await folderEntries(context, parent, await absentFolders(context, parent))), {kind: 'tree', path})
  }

  await context.journal.record(step, ...entries)
}
