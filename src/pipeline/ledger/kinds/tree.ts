// What a daemon creates by itself, with everything in it.
import {win32} from 'node:path'
import {CNI_TREES, FLANNEL_STATE_FOLDER, IPAM_STORE, KUBELET_TREES, SUBNET_ENV} from '../../../config/layout.js'
import {NETWORK_NAME} from '../../../config/model.js'
import {keyOf} from '../../../host/security/known-paths.js'
import {besideDrivers, driversBelow} from '../../desired/flex-drivers.js'
import type {StepId} from '../../run/step-id.js'
import {claimFolders, type Kind, leaveUnnamed, readText, type Things, thingsOf} from './kind.js'

export interface TreeEntry {
  readonly kind: 'tree'
  readonly path: string
}

const STORE = win32.join(IPAM_STORE, NETWORK_NAME)
const STEP_OF: Things = new Map<string, StepId>([
  ...thingsOf('kubelet-service', ...KUBELET_TREES),
  ...thingsOf('flanneld-service', SUBNET_ENV),
  ...thingsOf('source-vip', STORE),
  ...thingsOf('cni-config', ...CNI_TREES),
])
/** What flanneld writes, and nobody else: subnet.env has these lines only. */
const SUBNET_LINES = /^(?:FLANNEL_(?:IPMASQ|IPV6_NETWORK|IPV6_SUBNET|MTU|NETWORK|SUBNET)=.*\r?\n?)+$/
/** What host-local writes: a file per address, the last one given, and its lock. */
const RESERVED = /^(?:\d{1,3}(?:\.\d{1,3}){3}|last_reserved_ip\.\d+|lock)$/

export const tree: Kind = {
  accepts: ({path}, step) => typeof path === 'string' && STEP_OF.get(keyOf(path)) === step,
  find: {
    async host(search) {
      if (!search.isFlannelOurs && !search.isNetConfOurs) return
      const {claim, host} = search
      if (SUBNET_LINES.test((await readText(search, SUBNET_ENV)) ?? '')) {
        await claimFolders(search, 'flanneld-service', FLANNEL_STATE_FOLDER)
        claim('flanneld-service', {kind: 'tree', path: SUBNET_ENV})
      } else await leaveUnnamed(search, 'tree', SUBNET_ENV)

      if (!(await host.files.list(STORE)).every((name) => RESERVED.test(name)))
        await leaveUnnamed(search, 'tree', STORE)
      else if (await host.files.status(STORE)) claim('source-vip', {kind: 'tree', path: STORE})
    },
  },
  names: 'path',
  place: "the daemons' files",
  async remove({changed, host, journal}, step) {
    const {files} = host
    for (const {path} of journal.entries(step, 'tree')) {
      const hasDrivers = (await driversBelow(files, path)).length > 0
      for (const one of hasDrivers ? await besideDrivers(files, path) : [path]) {
        if (!(await files.status(one))) continue
        await files.remove(one)
        changed(`remove ${one}`)
      }
    }
  },
  steps: ['kubelet-service', 'flanneld-service', 'source-vip', 'cni-config'],
}
