// The two files of a run, on the node, both redacted: the log, which people read, has a line per check, step and warning; the
// trace beside it also every program, request, file and call of Windows, with events as JSON, which `attach` reads.
import {win32} from 'node:path'
import {ADMINISTRATORS_ONLY, isPlainPath} from '../../host/security/security.js'
import {eventLine, type Shown} from '../../logs/own-line.js'
import type {Files} from '../../machine/files.js'
import type {EffectEntry} from '../../machine/traced.js'
import type {TimedEvent} from '../../pipeline/run/events.js'
import type {Redact} from '../text/redact.js'

const FIRST_LINE = 'Log of k8s-win. Every program, request and call of Windows is in'
/** How a log and a trace begin. */
export const LOG_BEGINNING = new RegExp(String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z (?:event \{|INFO  ${FIRST_LINE})`)
/** A run asks Windows hundreds of questions, and each line of its own would open the file anew. */
const MOST_WAITING = 50
const LEVELS: Readonly<Record<string, string>> = {error: 'ERROR', warning: 'WARN '}

/** In the folder of logs. */
export const logName = (what: string, now: number): string =>
  `${what}-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.log`

/** `message`: redacted. */
export const logLine = (at: string, {level, message}: Shown): string =>
  `${at} ${LEVELS[level] ?? 'INFO '} ${message.replaceAll(/\r?\n/g, '\n  ')}\n`

export const traceOf = (log: string): string => `${log}.trace`

export interface RunLog {
  /** Nothing is written any more: its file is about to be removed. */
  close(): Promise<void>
  effect(entry: EffectEntry): void
  event(event: TimedEvent): void
  /** Resolves when all lines are on disk. */
  flush(): Promise<void>
  /** From here on lines go to this file and its trace, whose folder exists; earlier lines follow. */
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
  const waiting = {log: [] as string[], trace: [] as string[]}
  let writing = Promise.resolve()
  let hasLines = false
  let reason: string | undefined
  const atWork = new Map<string, string>()

  const append = async (file: string, lines: string[]): Promise<void> => {
    const text = lines.splice(0).join('')
    if (text === '') return
    try {
      await files.append(file, text)
      hasLines ||= lines === waiting.log
    } catch (error) {
      // A log that cannot be written must not stop the work it is about; the next line tries again.
      reason ??= error instanceof Error ? error.message : String(error)
    }
  }

  const write = (): void => {
    writing = writing.then(async () => {
      if (path === undefined) return
      await append(path, waiting.log)
      await append(traceOf(path), waiting.trace)
    })
  }

  const trace = (at: string, text: string, duration = ''): void =>
    void waiting.trace.push(`${at} ${redact(text).replaceAll(/\r?\n/g, String.raw`\n`)}${duration}\n`)

  let isBegun = false
  const say = (at: string, {level, message}: Shown): void => {
    if (!isBegun) waiting.log.push(`${at} INFO  ${FIRST_LINE} ${traceOf(name)}\n`)
    isBegun = true
    waiting.log.push(logLine(at, {level, message: redact(message)}))
  }

  return {
    async close() {
      write()
      await writing
      path = undefined
    },
    /** What was only read is written with the next change or event. */
    effect({args, at, durationMs, kind, outcome, via, what}) {
      trace(at, `${via} ${kind} ${what} ${JSON.stringify(args)} -> ${outcome}`, ` (${durationMs} ms)`)
      if (kind === 'change' || waiting.trace.length >= MOST_WAITING) write()
    },
    event({at, ...event}) {
      // Of progress the trace has what a step is at, for attach and for the page of the run; bytes would fill it.
      if (event.type === 'progress' && atWork.get(event.id) === event.text) return
      if (event.type === 'progress') atWork.set(event.id, event.text)
      const shown = event.type === 'progress' ? undefined : eventLine(event)
      if (shown) say(at, shown)
      trace(at, `event ${JSON.stringify(event)}`)
      write()
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
