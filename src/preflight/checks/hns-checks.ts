// Checks of the Host Network Service: its library, service and version, and networks that conflict with the overlay.
import {hnsMissing, hnsStopped, hnsTooOld} from '../../errors/condition.js'
import {containersMissing} from '../../errors/host.js'
import {restartRequired} from '../../errors/restart.js'
import {FEATURE_PENDING} from '../../host/windows-features.js'
import {type Check, check, dependsOn, pass} from '../check.js'
import {HNS_SERVICE, missingLibrary} from '../needs.js'

/** Overlay networks and host routes (docs/facts.md#hns-versions). */
const OVERLAY = {Major: 9, Minor: 2}

const containersFeature = check(
  'containers-feature',
  {area: 'host', cost: 'process', title: 'Containers feature'},
  async (facts) => {
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
  },
)

const hnsService = check('hns-service', {area: 'host', title: 'Host Network Service'}, async (facts) => {
  const {host} = facts
  // It starts on demand, and nothing may have called it since Windows started.
  const missing = await missingLibrary(facts)
  const [status, startType] = await Promise.all([
    host.services.status(HNS_SERVICE),
    host.services.startType(HNS_SERVICE),
  ])
  if (!status && missing) return dependsOn('containers-feature', hnsMissing({}).message)
  if (!status) throw hnsMissing({})
  if (status.state !== 'running') {
    throw hnsStopped({state: startType === 'disabled' ? 'disabled' : status.state})
  }
  return pass('runs')
})

const hnsVersion = check(
  'hns-version',
  {area: 'host', needs: ['hns'], title: 'Host Network Service version'},
  async (facts) => {
    const {Major, Minor} = await facts.hnsVersion()
    const seen = `${Major}.${Minor}`
    const isEnough = Major > OVERLAY.Major || (Major === OVERLAY.Major && Minor >= OVERLAY.Minor)
    if (!isEnough) throw hnsTooOld({seen, wanted: `${OVERLAY.Major}.${OVERLAY.Minor}`})
    return pass(`version ${seen}, which supports overlay networks`)
  },
)

export const HNS_CHECKS: readonly Check[] = [containersFeature, hnsService, hnsVersion]
