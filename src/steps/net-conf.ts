// flannel's net-conf.json, once, in the one place flanneld reads it.
import {netConf} from '../components/flanneld.js'
import {FLANNEL_CONFIG_FOLDER, NET_CONF} from '../config/layout.js'
import {FLANNELD} from '../config/model.js'
import {applyFiles, type DesiredFile, inspectFiles} from '../pipeline/desired/files/file.js'
import {ensureSafeFolders, withSafeFolders} from '../pipeline/desired/files/safe-folder.js'
import type {Step, StepContext} from '../pipeline/run/step.js'

const ID = 'net-conf'

export const netConfStep: Step = {
  async apply(context) {
    await ensureSafeFolders(context, ID, FLANNEL_CONFIG_FOLDER)
    await applyFiles(context, ID, wanted(context))
  },
  deadlineMs: 60_000,
  id: ID,
  inspect: async (context) =>
    withSafeFolders(context, await inspectFiles(context, ID, wanted(context)), FLANNEL_CONFIG_FOLDER),
  needs: ['base-dir'],
  removal: 'Remove net-conf.json',
  title: 'Write net-conf.json',
}

// With --kube-subnet-mgr flanneld takes its leases from the cluster, but its configuration from this file, at its start.
const wanted = ({config}: StepContext): DesiredFile[] => [{content: netConf(config), path: NET_CONF, readBy: FLANNELD}]
