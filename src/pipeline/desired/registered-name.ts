// The name under which our kubelet has its node in the cluster.
import {KUBELET} from '../../components/kubelet.js'
import {isNodeName} from '../../config/parse-option.js'
import type {Host} from '../../host/host.js'

/** Undefined where there is no kubelet of ours: somebody else's may have any name. */
export async function keptName({services}: Pick<Host, 'services'>): Promise<string | undefined> {
  if (!(await services.isOurs(KUBELET))) return undefined
  const [, name = ''] = /\s--hostname-override=(\S+)/.exec((await services.imagePath(KUBELET)) ?? '') ?? []
  return isNodeName(name) ? name : undefined
}
