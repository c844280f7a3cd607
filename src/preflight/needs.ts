// What a check needs before it can ask anything. What is missing is reported once, by a check of its own.
import {containersMissing} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {dependsOn, type Finding, type Need, notChecked} from './check.js'
import type {Facts} from './facts.js'

export const HNS_SERVICE = 'hns'

/** Why the check cannot run: undefined if there is what it needs. */
export async function unmetNeed(needs: readonly Need[], facts: Facts): Promise<Finding | undefined> {
  for (const need of needs) {
    const unmet = await NEEDS[need](facts)
    if (unmet) return unmet
  }
  return undefined
}

const NEEDS: Readonly<Record<Need, (facts: Facts) => Promise<Finding | undefined>>> = {
  administrator: async ({host}) =>
    (await host.os.isAdministrator()) ? undefined : notChecked('visible to administrators only'),

  async cluster(facts) {
    try {
      await facts.server()
      return undefined
    } catch (error) {
      if (!(error instanceof K8sWinError)) throw error
      if (/^(?:JOIN|KUBECONFIG|SECRET)_/.test(error.id)) return dependsOn('kubeconfig', 'there is no usable kubeconfig')
      return dependsOn('api-server', 'the API server could not be reached')
    }
  },

  docker: (facts) =>
    facts.docker().then(
      () => undefined,
      () => dependsOn('docker', 'Docker does not respond'),
    ),

  async hns(facts) {
    const unseen = await NEEDS.administrator(facts)
    if (unseen) return unseen
    if (await missingLibrary(facts)) return notChecked('the Host Network Service is not installed')
    if ((await facts.host.services.status(HNS_SERVICE))?.state !== 'running')
      return notChecked('the Host Network Service is not running')
    return undefined
  },
}

/** That of the Host Network Service, which comes with the feature Containers. */
export async function missingLibrary(facts: Facts): Promise<K8sWinError | undefined> {
  try {
    await facts.hnsVersion()
  } catch (error) {
    if (error instanceof K8sWinError && containersMissing.is(error)) return error
  }
  return undefined
}
