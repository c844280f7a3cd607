// Checks of the Host Network Service: its library, service and version, and networks that conflict with the overlay.
import {hnsMissing, hnsStopped, hnsTooOld} from '../errors/condition.js'
import {containersMissing} from '../errors/host.js'
import {K8sWinError} from '../errors/k8s-win-error.js'
import {restartRequired} from '../errors/restart.js'
import {FEATURE_PENDING} from '../host/windows-features.js'
import {type Check, check, type CheckParts, dependsOn, type Finding, notChecked, pass} from './check.js'
import type {HostFacts} from './facts.js'

const SERVICE = 'hns'
/** Overlay networks and host routes (docs/facts.md#hns-versions). */
const OVERLAY = {Major: 9, Minor: 2}

const containersFeature = check('containers-feature', {area: 'host', title: 'Containers feature'}, async (facts) => {
  const library = await missingLibrary(facts)
  const {config, host} = facts
  // Only administrators may ask; that this account is none is reported by another check.
  const isAdministrator = await host.os.isAdministrator()
  const byLibrary = library ? 'missing' : 'installed'
  const state = isAdministrator ? await host.features.containers(!library) : byLibrary
  if (state === 'installed') return pass('installed')
  if (state === 'pending') throw restartRequired({reasons: FEATURE_PENDING})
  if (config.enableFeatures) return pass('not installed: setup enables it, and Windows must then be restarted')
  throw library ?? containersMissing({})
})

const hnsService = check('hns-service', {area: 'host', title: 'Host Network Service'}, async (facts) => {
  const {host} = facts
  // It starts on demand, and nothing may have called it since Windows started.
  const missing = await missingLibrary(facts)
  const [status, startType] = await Promise.all([host.services.status(SERVICE), host.services.startType(SERVICE)])
  if (!status && missing) return dependsOn('containers-feature', hnsMissing({}).message)
  if (!status) throw hnsMissing({})
  if (status.state !== 'running') {
    throw hnsStopped({state: startType === 'disabled' ? 'disabled' : status.state})
  }
  return pass('runs')
})

const hnsVersion = hnsCheck('hns-version', {area: 'host', title: 'Host Network Service version'}, async (facts) => {
  const {Major, Minor} = await facts.hnsVersion()
  const seen = `${Major}.${Minor}`
  const isEnough = Major > OVERLAY.Major || (Major === OVERLAY.Major && Minor >= OVERLAY.Minor)
  if (!isEnough) throw hnsTooOld({seen, wanted: `${OVERLAY.Major}.${OVERLAY.Minor}`})
  return pass(`version ${seen}, which supports overlay networks`)
})

/** A check that needs HNS. Other checks report missing rights, the missing feature and the stopped service. */
export function hnsCheck(...[id, about, run]: CheckParts): Check {
  return check(id, about, async (facts) => (await whyNoHns(facts)) ?? run(facts))
}

async function whyNoHns(facts: HostFacts): Promise<undefined | Finding> {
  const {os, services} = facts.host
  if (!(await os.isAdministrator())) return notChecked('visible to administrators only')
  if (await missingLibrary(facts)) return notChecked('not checked: the Host Network Service is not installed')
  if ((await services.status(SERVICE))?.state !== 'running')
    return notChecked('not checked: the Host Network Service is not running')
  return undefined
}

async function missingLibrary(facts: HostFacts): Promise<K8sWinError | undefined> {
  try {
    await facts.hnsVersion()
  } catch (error) {
    if (error instanceof K8sWinError && containersMissing.is(error)) return error
  }
  return undefined
}

export const HNS_CHECKS: readonly Check[] = [containersFeature, hnsService, hnsVersion]
