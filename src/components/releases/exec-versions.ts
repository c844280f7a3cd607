// Which versions of client.authentication.k8s.io a daemon knows: those of the client-go it was built with. With another
// one in its kubeconfig it ends: 'exec plugin: invalid apiVersion' (client-go plugin/pkg/client/auth/exec/exec.go).
import type {Decided, Identity} from '../../config/model.js'
import {isBelow} from '../../config/version.js'
import {execVersionUnknown} from '../../errors/cluster.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {EXEC_GROUP} from '../../host/cluster/exec-plugin.js'
import type {Kubeconfig} from '../../host/cluster/kubeconfig.js'

/** What client-go 0.n knows: v1beta1 came with 0.11, v1 with 0.22, and v1alpha1 went with 0.24. */
function versionsOf(minor: number): readonly string[] {
  if (minor < 11) return []
  return [...(minor < 24 ? ['v1alpha1'] : []), 'v1beta1', ...(minor < 22 ? [] : ['v1'])]
}

/** Kubernetes 1.n holds client-go 0.n; flannel's is in its go.mod, in the releases before 0.14 one without plugins. */
function clientGoOf(identity: Identity, {release, versions: {flannel}}: Decided): number {
  if (identity !== 'flanneld') return release.minor
  if (isBelow(flannel, 0, 14)) return 3
  return isBelow(flannel, 0, 20) ? 20 : 25
}

/** Why this daemon cannot use the plugin of its kubeconfig. */
export function execProblem(
  config: Decided,
  identity: Identity,
  {exec}: Pick<Kubeconfig, 'exec'>,
): K8sWinError | undefined {
  const known = versionsOf(clientGoOf(identity, config)).map((version) => `${EXEC_GROUP}/${version}`)
  if (!exec || known.includes(exec.apiVersion)) return undefined
  const who = `${identity} ${(identity === 'flanneld' ? config.versions.flannel : config.release).text}`
  const [other, ownFile] = ['a kubeconfig with a certificate or a token', `--${identity}-kubeconfig`]
  const {apiVersion} = exec
  if (known.length === 0) {
    const reason = `${who} does not run exec plugins, so it could not authenticate to the cluster.`
    return execVersionUnknown({advice: `Pass ${other} to ${ownFile}.`, apiVersion, reason, who})
  }

  // All that run plugins know it.
  const advice = `Set the apiVersion of its exec to ${EXEC_GROUP}/v1beta1 if the plugin supports it, or pass ${other} to ${ownFile}.`
  const reason = `${who} supports ${known.join(' and ')}, and exits with "exec plugin: invalid apiVersion".`
  return execVersionUnknown({advice, apiVersion, reason, who})
}
