// Windows' event logs, each event by its numbers and its own data: the sentence around them is in the system's language.
import type {EventFilter, Win32} from '../machine/win32.js'

export interface WindowsEvent {
  /** ISO 8601. */
  readonly at: string
  /** In the order they have; "name: value" where they are named. */
  readonly data: readonly string[]
  readonly id: number
  /** 1 critical, 2 error, 3 warning, 4 information. */
  readonly level: number
  readonly provider: string
}

export interface EventLog {
  /** The newest first. Rejects with a Win32Error where there is no such channel (15007). */
  newest(channel: string, most: number, only?: EventFilter): Promise<readonly WindowsEvent[]>
}

export function openEventLog(win32: Pick<Win32, 'events'>): EventLog {
  return {
    async newest(channel, most, only) {
      return (await win32.events(channel, most, ...(only ? [only] : []))).map(readEvent)
    },
  }
}

/** The event schema of Windows: learn.microsoft.com/windows/win32/wes/eventschema-schema. What is not there reads as nothing. */
export function readEvent(xml: string): WindowsEvent {
  const systemEnd = xml.indexOf('</System>')
  const system = xml.slice(Math.max(0, xml.indexOf('<System>')), Math.max(0, systemEnd))
  const inner = (name: string): string => new RegExp(`<${name}(?:\\s[^<>]*)?>([^<]*)</${name}>`).exec(system)?.[1] ?? ''
  const attribute = (element: string, name: string): string => {
    const found = new RegExp(`<${element}\\s(?:[^<>]*\\s)?${name}=(?:"([^"<>]*)"|'([^'<>]*)')`).exec(system)
    return unescaped(found?.[1] ?? found?.[2] ?? '')
  }
  return {
    at: attribute('TimeCreated', 'SystemTime'),
    data: dataOf(xml.slice(Math.max(0, systemEnd))),
    id: Number(inner('EventID')),
    level: Number(inner('Level')),
    provider: attribute('Provider', 'Name'),
  }
}

function dataOf(xml: string): string[] {
  const named = [...xml.matchAll(/<Data(?:\s+Name=(?:"([^"<>]*)"|'([^'<>]*)'))?\s*>([^<]*)<\/Data>/g)].map(
    ([, double, single, value = '']) => {
      const name = double ?? single
      return unescaped(name === undefined ? value : `${name}: ${value}`)
    },
  )
  if (named.length > 0) return named
  // UserData, in elements of the provider's own.
  return [...xml.matchAll(/<(\w+)>([^<]+)<\/\1>/g)].map(([, name = '', value = '']) => unescaped(`${name}: ${value}`))
}

const ENTITIES: Readonly<Record<string, string>> = {amp: '&', apos: "'", gt: '>', lt: '<', quot: '"'}

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,10}));/gi,
    (whole, decimal, hex, name: string | undefined) => {
      const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
      if (name !== undefined) return ENTITIES[name] ?? whole
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    },
  )
}
