// The secrets of kubeconfigs and registries, which no log, event or error may contain.
import {IDENTITIES} from '../config/model.js'
import type {Kubeconfig} from '../host/cluster/kubeconfig.js'
import {secretsInRegistries} from '../host/containerd/registry-config.js'
import {orGivenUp} from '../host/wait.js'
import type {Redactor} from '../output/text/redact.js'
import type {Facts} from '../preflight/facts.js'

/** Those of a node, within this time. Call it before anything is reported. */
export async function registerSecrets(facts: Facts, redactor: Redactor, ms: number): Promise<void> {
  secretsInRegistries(facts.config.registries ?? {files: []}).forEach(redactor.register)
  const register = async (): Promise<void> => {
    for (const identity of IDENTITIES)
      registerKubeconfig(await facts.kubeconfig(identity).catch(() => undefined), redactor)
  }
  await orGivenUp(facts.host.clock, ms, register())
}

export function registerKubeconfig(kubeconfig: Kubeconfig | undefined, {register}: Redactor): void {
  for (const secret of kubeconfig?.secrets ?? []) register(secret)
}
