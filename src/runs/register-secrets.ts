// The secrets of a node's kubeconfigs, which no log, event or error may contain.
import {IDENTITIES} from '../config/model.js'
import type {Redactor} from '../output/text/redact.js'
import type {Facts} from '../preflight/facts.js'

/** Call it before anything is reported. */
export async function registerSecrets(facts: Facts, redactor: Redactor): Promise<void> {
  for (const identity of IDENTITIES) {
    const kubeconfig = await facts.kubeconfig(identity).catch(() => undefined)
    for (const secret of kubeconfig?.secrets ?? []) redactor.register(secret)
  }
}
