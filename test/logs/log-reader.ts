// Logs in memory, and who reads them.
import type {Component} from '../../src/logs/components.js'
import type {LogEntry} from '../../src/logs/entry.js'
import type {LogReader} from '../../src/logs/log-file.js'
import {UTC_ZONE} from '../../src/logs/zone.js'
import type {Files} from '../../src/machine/files.js'

export const LOGS = String.raw`C:\k\logs`

export const foldersOf = (...components: readonly Component[]) =>
  components.map((component) => ({component, own: true, path: `${LOGS}\\${component}`}))

export function readerOf(files: Files): LogReader & {readonly notes: string[]} {
  const notes: string[] = []
  return {files, note: (text) => void notes.push(text), notes, zone: UTC_ZONE}
}

/** A line of klog at so many seconds after midnight of 15 November. */
export function klogLine(seconds: number, text: string, letter = 'I'): string {
  const time = new Date(Math.round(seconds * 1000)).toISOString().slice(11, 23)
  return `${letter}1115 ${time}000    1 a.go:1] ${text}\n`
}

export const klogFile = (component: Component, stamp: string, process = 1, severity = 'INFO'): string =>
  `${LOGS}\\${component}\\${component}.exe.WIN-1.SYSTEM.log.${severity}.${stamp}.${process}`

export async function all(batches: AsyncIterable<LogEntry[]>): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for await (const some of batches) for (const entry of some) entries.push(entry)
  return entries
}

export const messagesOf = (entries: readonly LogEntry[]): string[] => entries.map(({message}) => message)
