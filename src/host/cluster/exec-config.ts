// The plugin a kubeconfig's user has its credentials from.
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import {demandKinds, textIn} from './kubeconfig-document.js'

export interface ExecConfig {
  /** Of the ExecCredential it is asked for and must answer with. */
  readonly apiVersion: string
  readonly args: readonly string[]
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** It wants to be told of the cluster. */
  readonly provideClusterInfo: boolean
}

export const EXEC_GROUP = 'client.authentication.k8s.io'
/** Which of them a daemon knows depends on its release (components/exec-versions.ts). */
const API_VERSIONS = ['v1alpha1', 'v1beta1', 'v1'].map((version) => `${EXEC_GROUP}/${version}`)

/** Undefined where there is none. A command with a folder in its name is taken as beside the kubeconfig. */
export function readExec(user: Record<string, unknown>, besideIt: (name: string) => string): ExecConfig | undefined {
  const exec = (user.exec ?? undefined) as Record<string, unknown> | undefined
  if (exec === undefined) return undefined
  const kinds = {apiVersion: 'text', args: 'list', command: 'text', env: 'list', interactiveMode: 'text'} as const
  demandKinds(exec, {...kinds, provideClusterInfo: 'boolean'})
  const apiVersion = textIn(exec, 'apiVersion')
  const command = textIn(exec, 'command')
  if (command === undefined) throw new UnusableFileError('its exec has no command')
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw new UnusableFileError(`its exec has no apiVersion of ${EXEC_GROUP}`)
  }

  demandNoConsole(textIn(exec, 'interactiveMode'), apiVersion)

  const args = (exec.args ?? []) as unknown[]
  const env = ((exec.env ?? []) as unknown[]).map((entry) => (entry ?? {}) as Record<string, unknown>)
  if (!args.every((arg) => typeof arg === 'string'))
    throw new UnusableFileError('its exec has args that are not text (put them in quotes)')
  for (const entry of env) {
    demandKinds(entry, {name: 'text', value: 'text'})
    if (textIn(entry, 'name') === undefined) throw new UnusableFileError('its exec has an env without a name')
  }

  if (/[/\\]/.test(command)) exec.command = besideIt(command)
  return {
    apiVersion,
    args,
    command: exec.command as string,
    env: Object.fromEntries(env.map((entry) => [textIn(entry, 'name'), textIn(entry, 'value') ?? ''])) as Record<
      string,
      string
    >,
    provideClusterInfo: exec.provideClusterInfo === true,
  }
}

/**
 * Every release that knows v1 demands the mode there, and those before it never read it (client-go
 * tools/clientcmd/validation.go, and api/v1/defaults.go for the older versions). With Always a daemon gets no
 * credentials: "standard input is not a terminal" (exec.go, isInteractive).
 */
function demandNoConsole(mode: string | undefined, apiVersion: string): void {
  if (mode === undefined && apiVersion === `${EXEC_GROUP}/v1`) {
    throw new UnusableFileError(`its exec has no interactiveMode, which ${apiVersion} demands (Never or IfAvailable)`)
  }

  if (mode === 'Always')
    throw new UnusableFileError('its exec has the interactiveMode Always, but a service has no console')
  if (mode !== undefined && !['IfAvailable', 'Never'].includes(mode)) {
    throw new UnusableFileError('its exec has an interactiveMode that is neither Never nor IfAvailable')
  }
}
