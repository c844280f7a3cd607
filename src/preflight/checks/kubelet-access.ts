// Who may call the kubelet, where a user's settings open what k8s-win has closed: anonymous requests, requests that nobody
// authorizes, and the read-only port.
import {kubeletSetting} from '../../config/settings/daemon-settings.js'
import {type DaemonSettings, KUBELET_PORT} from '../../config/model.js'
import {check, type Check, pass} from '../check.js'

const ALWAYS_ALLOW = 'AlwaysAllow'

/** strconv.ParseBool: a flag is text. */
const isTrue = (value: unknown): boolean => /^(?:1|t|true)$/i.test(String(value))

/** Each one as a sentence without its full stop. */
export function openAccess(settings: DaemonSettings): string[] {
  const isOpen = kubeletSetting(settings, 'authorization.mode') === ALWAYS_ALLOW
  const isAnonymous = isTrue(kubeletSetting(settings, 'authentication.anonymous.enabled'))
  const port = Number(kubeletSetting(settings, 'readOnlyPort') ?? 0)
  const who = isAnonymous ? 'everyone who reaches' : 'every pod and user of the cluster that reaches'
  return [
    ...(isOpen ? [`${who} port ${KUBELET_PORT} can run commands in all pods of this node (${ALWAYS_ALLOW})`] : []),
    ...(port > 0 ? [`everyone who reaches port ${port} can read the pods of this node (read-only port)`] : []),
  ]
}

const kubeletAccess = check('kubelet-access', 'Access to the kubelet', async ({config}) => {
  const warnings = openAccess(config)
  if (warnings.length === 0) return pass('authenticated and authorized by the cluster')
  const fix =
    'Remove authorization-mode, anonymous-auth and read-only-port from --kubelet-arg, and their fields from kubelet.config.'
  return {fix, warnings}
})

export const ACCESS_CHECKS: readonly Check[] = [kubeletAccess]
