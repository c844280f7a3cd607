// attach: shows a run that another session has started, from its first event on, and ends as it ends. Reads only.
import {StringDecoder} from 'node:string_decoder'
import {layoutOf} from '../../config/layout.js'
import {attachInterrupted, nothingRuns, runEndedUnseen, runHasNoLog, runNotBegun} from '../../errors/attach.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {isRecord} from '../../config/shape.js'
import {parseJson, textAt} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import {waitFor} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {Files} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import type {EventBus, RunResultDocument, TimedEvent} from '../../pipeline/run/events.js'
import {isHandedOver, readRecord} from '../../pipeline/run/last-run.js'
import {isServiceActive, RUN_SERVICE} from '../detach/run-service.js'
import {type NodeRequest, readKnownNode} from '../known-node.js'
import {holderOf, isLockHeld} from '../run-lock.js'
import {LAST_STEPS_UNSEEN, purgedResult} from './purged-run.js'

export interface AttachRun extends NodeRequest {
  readonly bus: Pick<EventBus, 'emit' | 'warn'>
  /** When the run was handed over to the service, which takes the lock in a moment; so does one whose service is active. */
  readonly handedOverAt?: string
  /** Of the user who watches, in real time. */
  readonly clock: Clock
}

/** A run that has just taken the lock writes its record a moment later. */
const RECORD_MS = 10_000
/** A service starts, and waits for the lock. */
const EXPECTED_MS = 60_000
const LOOK_EVERY_MS = 250
const BLOCK = 256 * 1024

/** The document that the run ended with. Ctrl-C does not stop the run itself. */
export async function attach(run: AttachRun): Promise<RunResultDocument> {
  try {
    const result = await follow(run)
    // The session's part of a run that continues as a service.
    return result.outcome === 'detached' ? await follow({...run, handedOverAt: result.finishedAt}, result.log) : result
  } catch (error) {
    throw run.signal.aborted ? attachInterrupted({}, {cause: error}) : error
  }
}

/** `seen`: the log of a run that may hold the lock for a moment longer. */
async function follow(run: AttachRun, seen?: string): Promise<RunResultDocument> {
  const {bus, clock, machine, signal} = run
  const {config} = await readKnownNode(run)
  const files = trustedFilesOf(machine)
  const {lock, result} = layoutOf(config.baseDir)
  let since = run.handedOverAt
  const isAwaited = since !== undefined || (await isServiceActive(machine))
  const deadlineMs = isAwaited ? EXPECTED_MS : RECORD_MS
  const missing = (reason: string): K8sWinError =>
    run.handedOverAt === undefined ? nothingRuns({}) : runNotBegun({reason})
  let isHeld = false
  const found = await waitFor(clock, {deadlineMs, everyMs: LOOK_EVERY_MS, signal}, async () => {
    const written = await readRecord(files, lock)
    isHeld = await isLockHeld(machine)
    if (isHeld) {
      const isSeen = seen !== undefined && textAt(written, 'log') === seen
      return isSeen || holderOf(written) === undefined ? undefined : {record: written}
    }
    if (await isServiceActive(machine)) {
      // It waits for the lock, or is about to end.
      since ??= new Date(machine.clock.now()).toISOString()
      return undefined
    }
    // The lock is free, and nothing will take it: the run has ended within a moment, or never began.
    const ended = since === undefined ? undefined : await endedSince(files, result, since)
    if (!ended) throw missing(await whyStopped(machine))
    return {ended}
  })
  if (found?.ended) {
    bus.emit({result: found.ended, type: 'run-finished'})
    return found.ended
  }
  if (!isHeld) throw missing(`It has not begun within ${EXPECTED_MS / 1000} s`)

  const record = found?.record
  const log = textAt(record, 'log')
  if (log === '') throw runHasNoLog({baseDir: config.baseDir, holder: holderOf(record) ?? ''})

  const reader = new EventReader(files, log)
  const shown: TimedEvent[] = []
  for (;;) {
    // Before the events are read: what the run wrote before it ended must not be missed.
    const isOver = !(await isLockHeld(machine))
    const events = await reader.next()
    for (const event of events) {
      // A run that continues as a service is not over: its end is shown there.
      if (event.type !== 'run-finished' || !isHandedOver(event.result)) bus.emit(event)
      if (event.type === 'run-finished') return event.result
      if (event.type === 'run-started' || event.type === 'step-finished') shown.push(event)
    }
    if (isOver) {
      const heldAt = textAt(record, 'since')
      const saved = await endedAround(files, result, heldAt)
      const ended = saved ?? (await purgedResult(run, {events: shown, log, since: heldAt}))
      if (!ended) throw runEndedUnseen({holder: holderOf(record) ?? '', log})
      if (!saved) bus.warn(LAST_STEPS_UNSEEN)
      bus.emit({result: ended, type: 'run-finished'})
      return ended
    }
    // A run that was killed leaves its record, which the next one replaces only when it has a log.
    const current = events.length === 0 ? textAt(await readRecord(files, lock), 'log') : ''
    if (current !== '' && current !== log) return follow(run, log)
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

/** The document of a run that began after that time. */
async function endedSince(files: Files, path: string, time: string): Promise<RunResultDocument | undefined> {
  const last = await readRecord(files, path)
  const isLater = Date.parse(textAt(last, 'startedAt')) >= Date.parse(time) && !isHandedOver(last)
  return isLater && isRecord(last) ? (last as unknown as RunResultDocument) : undefined
}

/** The document of the run that held the lock at that time: only the holder saves one. */
async function endedAround(files: Files, path: string, time: string): Promise<RunResultDocument | undefined> {
  const last = await readRecord(files, path)
  const [began, ended] = [Date.parse(textAt(last, 'startedAt')), Date.parse(textAt(last, 'finishedAt'))]
  const isIts = began <= Date.parse(time) && Date.parse(time) <= ended && !isHandedOver(last)
  return isIts && isRecord(last) ? (last as unknown as RunResultDocument) : undefined
}

async function whyStopped({win32}: Pick<Machine, 'win32'>): Promise<string> {
  const status = await win32.queryServiceStatus(RUN_SERVICE)
  if (!status) return 'It does not exist any more, and its run left no result'
  const {serviceExitCode, win32ExitCode} = status
  return `It has stopped (exit codes ${win32ExitCode} and ${serviceExitCode}), and its run left no result`
}

/** Of the lines of a run's log those that are events (output/run/run-log.ts), each once. */
class EventReader {
  readonly #decoder = new StringDecoder('utf8')
  #offset = 0
  #rest = ''

  constructor(
    private readonly files: Pick<Files, 'readRange'>,
    private readonly path: string,
  ) {}

  /** Those since the last time. None where the file is gone. */
  async next(): Promise<TimedEvent[]> {
    const events: TimedEvent[] = []
    for (;;) {
      const range = await this.files.readRange(this.path, this.#offset, BLOCK)
      if (range === undefined || range.bytes.length === 0) return events
      this.#offset += range.bytes.length
      const lines = (this.#rest + this.#decoder.write(Buffer.from(range.bytes))).split('\n')
      this.#rest = lines.pop() ?? ''
      events.push(...lines.flatMap((line) => eventIn(line) ?? []))
    }
  }
}

function eventIn(line: string): TimedEvent | undefined {
  const [, at, json] = /^(\S+) event (\{.*\})$/s.exec(line) ?? []
  const event = json === undefined ? undefined : parseJson(json)
  return isRecord(event) ? ({...event, at} as TimedEvent) : undefined
}
