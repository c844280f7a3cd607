// The profile that the firewall uses for an adapter, as its event log shows it.
import {openEventLog} from '../../../../src/host/event-log.js'
import {profileOf} from '../../../../src/host/firewall-policy.js'
import {compared, type Settler} from './settler.js'

export const firewallProfileEvents: Settler = async ({machine: {win32}}) => {
  const events = openEventLog(win32)
  const adapters = (await win32.adapters()).filter(({gateways, up}) => up && gateways.length > 0)
  const told = await Promise.all(
    adapters.map(async ({name}) => ({name, profile: (await profileOf(events, name)) ?? 'not told'})),
  )
  const seen = told.map(({name, profile}) => `${name}: ${profile}`).join(', ') || 'no adapter with a gateway'
  return compared(
    told.length > 0 && told.every(({profile}) => profile !== 'not told'),
    seen,
    'a profile for each adapter',
  )
}
