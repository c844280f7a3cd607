// flannel's net-conf.json, once, in the one place flanneld reads it.
import {netConf} from '../components/flanneld.js'
import {NET_CONF} from '../config/layout.js'
import {applyFiles, type DesiredFile, inspectFiles, removeFiles} from '../pipeline/desired-file.js'
import type {Step, StepContext} from '../pipeline/step.js'

const ID = 'net-conf'

export const netConfStep: Step = {
  apply: (context) => applyFiles(context, ID, wanted(context)),
  deadlineMs: 60_000,
  id: ID,
  inspect: (context) => inspectFiles(context, wanted(context)),
  needs: ['base-dir'],
  remove: (context) => removeFiles(context, ID),
  title: 'Write net-conf.json',
}

const wanted = ({config}: StepContext): DesiredFile[] => [{content: netConf(config), path: NET_CONF}]
