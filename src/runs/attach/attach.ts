// attach: shows a run that another session has started, from its first event on, and ends as it ends. A list of phases. Reads
// only.
import {StringDecoder} from 'node:string_decoder'
import {type Layout, layoutOf} from '../../config/layout.js'
import {attachInterrupted, nothingRuns, runEndedUnseen, runHasNoLog, runNotBegun} from '../../errors/detach.js'
import type {K8sWinError} from '../../errors/k8s-win-error.js'
import {isRecord} from '../../config/shape.js'
import {parseJson, textAt} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import {waitFor} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {Files} from '../../machine/files.js'
import type {Machine} from '../../machine/machine.js'
import {traceOf} from '../../output/run/run-log.js'
import type {EventBus, RunResultDocument, TimedEvent} from '../../pipeline/run/events.js'
import {isHandedOver, readRecord} from '../../pipeline/run/last-run.js'
import {isServiceActive, RUN_SERVICE} from '../detach/run-service.js'
import {type NodeRequest, readKnownNode} from '../known-node.js'
import {type Phase, type PhasedRun, runPhases} from '../run.js'
import {holderOf, isLockHeld} from '../run-lock.js'
import {LAST_STEPS_UNSEEN, purgedResult} from './purged-run.js'

export interface AttachInput extends NodeRequest {
  readonly bus: Pick<EventBus, 'emit' | 'warn'>
  /** When the run was handed over to the service, which takes the lock in a moment; so does one whose service is active. */
  readonly handedOverAt?: string
  /** Of the user who watches, in real time. */
  readonly clock: Clock
}

/** Each value is set by the phase that finds it. */
interface AttachRun extends Omit<AttachInput, 'handedOverAt'>, PhasedRun {
  readonly files: Files
  handedOverAt?: string | undefined
  layout: Layout
  /** What the holder of the lock has written of itself. */
  record: unknown
  /** Undefined until the run has ended. */
  result?: RunResultDocument | undefined
  /** The log of a run that may hold the lock for a moment longer. */
  seen?: string | undefined
  signal: AbortSignal
}

/** A run that has just taken the lock writes its record a moment later. */
const RECORD_MS = 10_000
/** A service starts, and waits for the lock. */
const EXPECTED_MS = 60_000
const POLL_MS = 250
const BLOCK = 256 * 1024

const ATTACH: readonly Phase<AttachRun>[] = [
  // Which may begin in a moment, or have ended within one.
  {run: findRun, title: 'Find the run'},
  // From its first event to its end, or until another run has the lock.
  {run: showRun, title: 'Show the run'},
]

/** The document that the run ended with. Ctrl-C does not stop the run itself. */
export async function attach(input: AttachInput): Promise<RunResultDocument> {
  const run = {...input, files: trustedFilesOf(input.machine), phase: ''} as AttachRun
  try {
    for (;;) {
      await runPhases(ATTACH, run)
      const {result} = run
      if (result && result.outcome !== 'detached') return result
      // The session's part of a run that continues as a service.
      if (result) Object.assign(run, {handedOverAt: result.finishedAt, result: undefined, seen: result.log})
    }
  } catch (error) {
    throw run.signal.aborted ? attachInterrupted({}, {cause: error}) : error
  }
}

async function findRun(run: AttachRun): Promise<'ended' | void> {
  const {clock, files, handedOverAt, machine, seen, signal} = run
  const {config} = await readKnownNode(run)
  run.layout = layoutOf(config.baseDir)
  const {lock, result} = run.layout
  let since = handedOverAt
  const isAwaited = since !== undefined || (await isServiceActive(machine))
  const deadlineMs = isAwaited ? EXPECTED_MS : RECORD_MS
  const missing = (reason: string): K8sWinError =>
    handedOverAt === undefined ? nothingRuns({}) : runNotBegun({reason})
  let isHeld = false
  const found = await waitFor(clock, {deadlineMs, everyMs: POLL_MS, signal}, async () => {
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
  if (found?.ended) return endWith(run, found.ended)
  if (!isHeld) throw missing(`It has not begun within ${EXPECTED_MS / 1000} s`)
  run.record = found?.record
  const holder = holderOf(run.record) ?? ''
  if (textAt(run.record, 'log') === '') throw runHasNoLog({baseDir: config.baseDir, holder})
}

function endWith(run: AttachRun, result: RunResultDocument): 'ended' {
  run.bus.emit({result, type: 'run-finished'})
  run.result = result
  return 'ended'
}

async function showRun(run: AttachRun): Promise<'ended' | void> {
  const {bus, clock, files, layout, machine, record, signal} = run
  const log = textAt(record, 'log')
  const reader = new EventReader(files, traceOf(log))
  const shown: TimedEvent[] = []
  for (;;) {
    // Before the events are read: what the run wrote before it ended must not be missed.
    const isOver = !(await isLockHeld(machine))
    const events = await reader.next()
    for (const event of events) {
      // A run that continues as a service is not over: its end is shown there.
      if (event.type !== 'run-finished' || !isHandedOver(event.result)) bus.emit(event)
      if (event.type === 'run-finished') return void (run.result = event.result)
      if (event.type === 'run-started' || event.type === 'step-finished') shown.push(event)
    }
    if (isOver) {
      const heldAt = textAt(record, 'since')
      const saved = await endedAround(files, layout.result, heldAt)
      const ended = saved ?? (await purgedResult(run, {events: shown, log, since: heldAt}))
      if (!ended) throw runEndedUnseen({holder: holderOf(record) ?? '', log})
      if (!saved) bus.warn(LAST_STEPS_UNSEEN)
      return endWith(run, ended)
    }
    // A run that was killed leaves its record, which the next one replaces only when it has a log.
    const current = events.length === 0 ? textAt(await readRecord(files, layout.lock), 'log') : ''
    if (current !== '' && current !== log) return void (run.seen = log)
    await clock.sleep(POLL_MS, signal)
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

/** Of the lines of a run's trace those that are events (output/run/run-log.ts), each once. */
export class EventReader {
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
