// The plugin a kubeconfig's user has its credentials from.
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

const API_VERSION = /^client\.authentication\.k8s\.io\/(?:v1alpha1|v1beta1|v1)$/

/** Undefined where there is none. A command with a folder in its name is taken as beside the kubeconfig. */
export function readExec(user: Record<string, unknown>, besideIt: (name: string) => string): ExecConfig | undefined {
  const exec = (user.exec ?? undefined) as Record<string, unknown> | undefined
  if (exec === undefined) return undefined
  const kinds = {apiVersion: 'text', args: 'list', command: 'text', env: 'list', provideClusterInfo: 'boolean'} as const
  demandKinds(exec, kinds)
  const apiVersion = textIn(exec, 'apiVersion')
  const command = textIn(exec, 'command')
  if (command === undefined) throw new Error('its exec has no command')
  if (apiVersion === undefined || !API_VERSION.test(apiVersion)) {
    throw new Error('its exec has no apiVersion of client.authentication.k8s.io')
  }

  const args = (exec.args ?? []) as unknown[]
  const env = ((exec.env ?? []) as unknown[]).map((entry) => (entry ?? {}) as Record<string, unknown>)
  if (!args.every((arg) => typeof arg === 'string'))
    throw new Error('its exec has args that are not text (put them in quotes)')
  for (const entry of env) {
    demandKinds(entry, {name: 'text', value: 'text'})
    if (textIn(entry, 'name') === undefined) throw new Error('its exec has an env without a name')
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
