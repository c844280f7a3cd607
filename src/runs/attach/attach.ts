// attach: shows a run that another session has started, from its first event on, and ends as it ends. Reads only.
import {StringDecoder} from 'node:string_decoder'
import {layoutOf} from '../../config/layout.js'
import {attachInterrupted, nothingRuns, runEndedUnseen, runHasNoLog} from '../../errors/attach.js'
import {isRecord} from '../../config/shape.js'
import {parseJson, textAt} from '../../host/document.js'
import {trustedFilesOf} from '../../host/security/trust.js'
import {waitFor} from '../../host/wait.js'
import type {Clock} from '../../machine/clock.js'
import type {Files} from '../../machine/files.js'
import type {EventBus, RunResultDocument, TimedEvent} from '../../pipeline/run/events.js'
import {type NodeRequest, readKnownNode} from '../known-node.js'
import {holderOf, isLockHeld, readLockRecord} from '../run-lock.js'

export interface AttachRun extends NodeRequest {
  readonly bus: Pick<EventBus, 'emit'>
  /** Of the user who watches, in real time. */
  readonly clock: Clock
}

/** A run that has just taken the lock writes its record a moment later. */
const RECORD_MS = 10_000
const LOOK_EVERY_MS = 250
const BLOCK = 256 * 1024

/** The document that the run ended with. Ctrl-C does not stop the run itself. */
export async function attach(run: AttachRun): Promise<RunResultDocument> {
  try {
    return await follow(run)
  } catch (error) {
    throw run.signal.aborted ? attachInterrupted({}, {cause: error}) : error
  }
}

async function follow(run: AttachRun): Promise<RunResultDocument> {
  const {bus, clock, machine, signal} = run
  const {config} = await readKnownNode(run)
  const files = trustedFilesOf(machine)
  const {lock} = layoutOf(config.baseDir)
  const record = await waitFor(clock, {deadlineMs: RECORD_MS, everyMs: LOOK_EVERY_MS, signal}, async () => {
    const written = await readLockRecord(files, lock)
    if (!(await isLockHeld(machine))) throw nothingRuns({baseDir: config.baseDir})
    return holderOf(written) === undefined ? undefined : written
  })
  const log = textAt(record, 'log')
  if (log === '') throw runHasNoLog({baseDir: config.baseDir, holder: holderOf(record) ?? ''})

  const reader = new EventReader(files, log)
  for (;;) {
    // Before the events are read: what the run wrote before it ended must not be missed.
    const isOver = !(await isLockHeld(machine))
    for (const event of await reader.next()) {
      bus.emit(event)
      if (event.type === 'run-finished') return event.result
    }
    if (isOver) throw runEndedUnseen({holder: holderOf(record) ?? '', log})
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
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
  const [, at, json] = /^(\S+) event (\{.*\})$/.exec(line) ?? []
  const event = json === undefined ? undefined : parseJson(json)
  return isRecord(event) ? ({...event, at} as TimedEvent) : undefined
}
