// Event logs of the simulated host, with the entries of machine.json.
import {EVENT_SOURCE, type EventFilter, type EventLevel, Win32Error} from '../../machine/win32.js'
import type {LoggedEvent, World} from '../world.js'
import {guidOf} from './names.js'

const ERROR_EVT_CHANNEL_NOT_FOUND = 15_007

const FIREWALL_CHANNEL = 'Microsoft-Windows-Windows Firewall With Advanced Security/Firewall'

/** The last four come with the feature Containers (docs/facts.md#hns). */
const CHANNELS = [
  'Application',
  'System',
  FIREWALL_CHANNEL,
  'Microsoft-Windows-Host-Network-Service-Admin',
  'Microsoft-Windows-Host-Network-Service-Operational',
  'Microsoft-Windows-Hyper-V-Compute-Admin',
  'Microsoft-Windows-Hyper-V-Compute-Operational',
]

export function events({adapters, os}: World, channel: string, most: number, only?: EventFilter): string[] {
  const name = CHANNELS.find((one) => one.toLowerCase() === channel.toLowerCase())
  if (name === undefined) throw new Win32Error('EvtQuery', ERROR_EVT_CHANNEL_NOT_FOUND, channel)
  const logged = os.eventLogs?.[name] ?? (name === FIREWALL_CHANNEL ? publicProfiles(adapters) : [])
  return logged
    .filter(({id, level}) => only === undefined || only.ids.includes(id) || only.levels.includes(level))
    .sort((one, other) => other.at - one.at)
    .slice(0, most)
    .map((event) => xmlOf(event, name, os.computerName))
}

/** A host outside a domain has its adapters in the profile Public by default. */
function publicProfiles(adapters: World['adapters']): LoggedEvent[] {
  const provider = 'Microsoft-Windows-Windows Firewall With Advanced Security'
  return adapters
    .filter(({up}) => up)
    .map(({name}) => ({at: 0, data: [`{${guidOf(name)}}`, name, '0', '4'], id: 2010, level: 4, provider}))
}

/** As EvtRender lays it out (learn.microsoft.com/windows/win32/wes/rendering-events). */
function xmlOf({at, data, id, level, provider}: LoggedEvent, channel: string, computer: string): string {
  const system = [
    `<Provider Name='${escaped(provider)}'/>`,
    `<EventID>${id}</EventID>`,
    `<Level>${level}</Level>`,
    `<TimeCreated SystemTime='${new Date(at).toISOString()}'/>`,
    `<Channel>${channel}</Channel>`,
    `<Computer>${escaped(computer)}</Computer>`,
  ]
  const inner = data.map((text) => `<Data>${escaped(text)}</Data>`).join('')
  const namespace = 'http://schemas.microsoft.com/win/2004/08/events/event'
  return `<Event xmlns='${namespace}'><System>${system.join('')}</System><EventData>${inner}</EventData></Event>`
}

const ENTITIES: Readonly<Record<string, string>> = {'"': 'quot', '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt'}

const escaped = (text: string): string => text.replaceAll(/["&'<>]/g, (letter) => `&${ENTITIES[letter]};`)

const LEVELS: Readonly<Record<EventLevel, number>> = {error: 2, information: 4, warning: 3}

/** Any account may add to the log Application. */
export const reportEvent = (world: World, at: number, level: EventLevel, id: number, text: string): void =>
  logEvent(world, {at, data: [text], id, level: LEVELS[level], provider: EVENT_SOURCE})

export function logEvent({os}: World, logged: LoggedEvent): void {
  os.eventLogs = {...os.eventLogs, Application: [...(os.eventLogs?.['Application'] ?? []), logged]}
}
