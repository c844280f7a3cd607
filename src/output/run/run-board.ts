// What is going on right now, kept from the events: views that repaint, beat or sum up ask here.
import type {CheckResult, RunStepId, TimedEvent} from '../../pipeline/run/events.js'

export interface RunningStep {
  readonly current?: number
  readonly id: RunStepId
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly text: string
  readonly title: string
  readonly total?: number
}

export type CheckTally = Readonly<Record<'unlooked' | CheckResult['result'], number>>

export class RunBoard {
  #checks: CheckTally = {fail: 0, pass: 0, unlooked: 0, warn: 0}
  #finished = 0
  #phase: 'before' | 'checking' | 'over' | 'stepping' = 'before'
  readonly #running = new Map<RunStepId, RunningStep>()
  #startedAt = 0
  #titles: readonly string[] = []
  #warnings = 0

  get checks(): CheckTally {
    return this.#checks
  }

  /** Steps that came to an end, in whatever way. */
  get finished(): number {
    return this.#finished
  }

  get phase(): 'before' | 'checking' | 'over' | 'stepping' {
    return this.#phase
  }

  /** The oldest first. */
  get running(): readonly RunningStep[] {
    return [...this.#running.values()]
  }

  get startedAt(): number {
    return this.#startedAt
  }

  /** Of all steps of this run. */
  get titles(): readonly string[] {
    return this.#titles
  }

  /** How many there were so far. */
  get warnings(): number {
    return this.#warnings
  }

  note(event: TimedEvent): void {
    switch (event.type) {
      case 'run-started': {
        this.#phase = 'checking'
        this.#startedAt = Date.parse(event.at)
        this.#titles = event.steps.map(({title}) => title)
        break
      }
      case 'check': {
        const {looked = true, result} = event.check
        const kind = looked ? result : 'unlooked'
        this.#checks = {...this.#checks, [kind]: this.#checks[kind] + 1}
        if (result === 'warn') this.#warnings += 1
        break
      }
      case 'step-started': {
        this.#phase = 'stepping'
        this.#running.set(event.id, {id: event.id, startedAt: Date.parse(event.at), text: '', title: event.title})
        break
      }
      case 'progress': {
        const step = this.#running.get(event.id)
        if (step === undefined) break
        const {id, startedAt, title} = step
        const {current, text, total} = event
        this.#running.set(id, {
          id,
          startedAt,
          text,
          title,
          ...(current === undefined ? {} : {current}),
          ...(total === undefined ? {} : {total}),
        })
        break
      }
      case 'step-finished': {
        this.#finished += 1
        this.#running.delete(event.step.id)
        break
      }
      case 'log': {
        if (event.level === 'warn') this.#warnings += 1
        break
      }
      case 'run-finished': {
        this.stop()
        break
      }
    }
  }

  /** For a run that ends without its last event. */
  stop(): void {
    this.#phase = 'over'
    this.#running.clear()
  }
}
