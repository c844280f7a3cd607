// The exec plugin of a daemon's kubeconfig, as the client-go inside the daemon judges it. No plugin is run here: a daemon
// that would run one has no credentials.
import {isAtLeast, type Version} from './daemon.js'

const GROUP = 'client.authentication.k8s.io'

/** `exec` of a kubeconfig's user. */
export interface Exec {
  readonly apiVersion?: string
  readonly interactiveMode?: string
}

/** The minor of flanneld's client-go: go.mod of flannel 0.13 (3.0, which has no plugins), 0.14 to 0.19, and since 0.20. */
export function flannelClientGo(version: Version): number {
  if (!isAtLeast(version, '0.14.0')) return 3
  return isAtLeast(version, '0.20.0') ? 25 : 20
}

/** tools/clientcmd/validation.go and api/v1/defaults.go since 0.22: "invalid configuration". */
export function invalidExec(
  {apiVersion = '', interactiveMode = ''}: Exec,
  clientGo: number,
  user: string,
): string | undefined {
  if (clientGo < 11) return undefined
  if (!apiVersion) return `apiVersion must be specified for ${user} to use exec authentication plugin`
  if (clientGo < 22) return undefined
  if (!interactiveMode) {
    const isDefaulted = [`${GROUP}/v1alpha1`, `${GROUP}/v1beta1`].includes(apiVersion)
    return isDefaulted ? undefined : `interactiveMode must be specified for ${user} to use exec authentication plugin`
  }

  if (['Always', 'IfAvailable', 'Never'].includes(interactiveMode)) return undefined
  return `invalid interactiveMode for ${user}: "${interactiveMode}"`
}

/** plugin/pkg/client/auth/exec/exec.go, apiVersions: asked when the client is made. */
export function unknownExec({apiVersion = ''}: Exec, clientGo: number): string | undefined {
  if (clientGo < 11) return undefined
  const known = [...(clientGo < 24 ? ['v1alpha1'] : []), 'v1beta1', ...(clientGo < 22 ? [] : ['v1'])]
  if (known.some((version) => apiVersion === `${GROUP}/${version}`)) return undefined
  return `exec plugin: invalid apiVersion "${apiVersion}"`
}

/** exec.go, isInteractive: asked with every request, and a service has no terminal. */
export function mutedExec({interactiveMode}: Exec, clientGo: number): string | undefined {
  if (clientGo < 22 || interactiveMode !== 'Always') return undefined
  return 'getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal'
}
