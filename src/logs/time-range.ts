// Reads times as users write them: "10m" ago, or a moment.
import {stampOf} from './read-line.js'
import type {Zone} from './zone.js'

const UNITS: Readonly<Record<string, number>> = {d: 86_400_000, h: 3_600_000, m: 60_000, ms: 1, s: 1000, w: 604_800_000}
const LONGEST_MS = 100 * 366 * 86_400_000

/** Whether it is written as "90s", "10m", "1h30m" or "7d", however long that is. */
export const isAge = (text: string): boolean => /^(?:\d+(?:ms|[smhdw]))+$/.test(text)

/** In milliseconds; undefined where it is not valid, or too long to be meant. */
export function parseAge(text: string): number | undefined {
  if (!isAge(text)) return undefined
  const parts = [...text.matchAll(/(\d+)(ms|[smhdw])/gy)]
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
  return ms <= LONGEST_MS ? ms : undefined
}

/** A day, a time of that day with or without seconds, and a zone; without one, that of the host. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/i

/** Milliseconds since 1970; undefined where it is not valid. */
export function parseMoment(text: string, zone: Zone): number | undefined {
  const match = MOMENT.exec(text)
  if (!match) return undefined
  const [, day = '', minute = '00:00', second = ':00', offset = ''] = match
  const [month = 0, date = 0] = day.split('-').slice(1).map(Number)
  const isThere = new Date(Date.UTC(Number(day.slice(0, 4)), month - 1, date)).getUTCDate() === date
  return isThere ? stampOf(`${day} ${minute}${second}${offset.toUpperCase()}`, zone)?.time : undefined
}
