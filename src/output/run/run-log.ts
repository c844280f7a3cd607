// The log of a run, on the node: every effect and event, redacted, in the order they happened.
import {win32} from 'node:path'
import {ADMINISTRATORS_ONLY, isPlainPath} from '../../host/security/security.js'
import type {Files} from '../../machine/files.js'
import type {EffectEntry} from '../../machine/traced.js'
import type {TimedEvent} from '../../pipeline/run/events.js'
import type {Redact} from '../text/redact.js'

/** Every log begins with an event. */
export const LOG_BEGINNING = /^\d{4}-\d\d-\d\dT[\d:.]+Z event \{/

export interface RunLog {
  /** Nothing is written any more: its file is about to be removed. */
  close(): Promise<void>
  effect(entry: EffectEntry): void
  event(event: TimedEvent): void
  /** Resolves when all lines are on disk. */
  flush(): Promise<void>
  /** From here on lines go to this file, whose folder exists; earlier lines follow. */
  openAt(file: string): void
  /** From here on lines go to a file in this folder; earlier lines follow. Nothing happens where the path has a link in it. */
  openIn(folder: string): Promise<void>
  /** Undefined until it is open. */
  readonly path: string | undefined
  /** Why lines are missing, and whether all are; undefined where none is. */
  readonly problem: {readonly isEmpty: boolean; readonly reason: string} | undefined
}

/** `files` must not be traced: each line would make another. */
export function createRunLog(files: Files, redact: Redact, name: string): RunLog {
  let path: string | undefined
  let waiting: string[] = []
  let writing = Promise.resolve()
  let hasLines = false
  let reason: string | undefined
  const atWork = new Map<string, string>()

  const write = (): void => {
    writing = writing.then(async () => {
      if (path === undefined || waiting.length === 0) return
      const lines = waiting
      waiting = []
      try {
        await files.append(path, lines.join(''))
        hasLines = true
      } catch (error) {
        // A log that cannot be written must not stop the work it is about; the next line tries again.
        reason ??= error instanceof Error ? error.message : String(error)
      }
    })
  }

  const add = (at: string, text: string, duration = ''): void => {
    waiting.push(`${at} ${redact(text).replaceAll(/\r?\n/g, String.raw`\n`)}${duration}\n`)
    if (path !== undefined) write()
  }

  return {
    async close() {
      write()
      await writing
      path = undefined
    },
    effect: ({args, at, durationMs, kind, outcome, via, what}) =>
      add(at, `${via} ${kind} ${what} ${JSON.stringify(args)} -> ${outcome}`, ` (${durationMs} ms)`),
    event({at, ...event}) {
      // Of progress what a step is at, for the page of the run and for attach; bytes would fill the log.
      if (event.type === 'progress' && atWork.get(event.id) === event.text) return
      if (event.type === 'progress') atWork.set(event.id, event.text)
      add(at, `event ${JSON.stringify(event)}`)
    },
    async flush() {
      write()
      await writing
    },
    openAt(file) {
      path = file
      write()
    },
    async openIn(folder) {
      // A planted link would redirect the log; the check of the folders reports it.
      if (!(await isPlainPath(files, folder))) return
      await files.makeDirectory(folder, {security: ADMINISTRATORS_ONLY})
      path = win32.join(folder, name)
      write()
    },
    get path() {
      return path
    },
    get problem() {
      return reason === undefined ? undefined : {isEmpty: !hasLines, reason}
    },
  }
}
