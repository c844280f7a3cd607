// What is going on right now, and what was warned of, kept from the events: for views that repaint, beat or sum up.
import type {RunStepId, TimedEvent} from '../../pipeline/run/events.js'
import type {Progress} from '../../pipeline/run/step.js'
import {checkText, type CheckTally} from './verdict.js'

export interface RunningStep extends Partial<Progress> {
  readonly id: RunStepId
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly title: string
}

export class RunState {
  readonly checks: CheckTally = {fail: 0, pass: 0, unchecked: 0, warn: 0}
  /** Steps that ended, in whatever way. */
  finished = 0
  phase: 'before' | 'checking' | 'over' | 'stepping' = 'before'
  /** The oldest first. */
  readonly running = new Map<RunStepId, RunningStep>()
  startedAt = 0
  /** Of all steps of this run. */
  titles: readonly string[] = []
  readonly warnings: {readonly at: number; readonly text: string}[] = []
  /** Rows or bytes, as the view counts. */
  #written = 0

  note(event: TimedEvent): void {
    switch (event.type) {
      case 'run-started': {
        this.phase = 'checking'
        this.startedAt = Date.parse(event.at)
        this.titles = event.steps.map(({title}) => title)
        break
      }
      case 'check': {
        const {looked = true, result} = event.check
        this.checks[looked ? result : 'unchecked'] += 1
        if (result === 'warn') this.#warn(checkText(event.check))
        break
      }
      case 'step-started': {
        const {at, id, title} = event
        this.phase = 'stepping'
        this.running.set(id, {id, startedAt: Date.parse(at), title})
        break
      }
      case 'progress': {
        const {at: _, id, type: __, ...progress} = event
        const step = this.running.get(id)
        if (step) this.running.set(id, {id, startedAt: step.startedAt, title: step.title, ...progress})
        break
      }
      case 'step-finished': {
        this.finished += 1
        this.running.delete(event.step.id)
        break
      }
      case 'log': {
        if (event.level === 'warn') this.#warn(event.message)
        break
      }
      case 'run-finished': {
        this.stop()
        break
      }
    }
  }

  /** Ends a run without its last event, too. */
  stop(): void {
    this.phase = 'over'
    this.running.clear()
  }

  wrote(amount: number): void {
    this.#written += amount
  }

  /** All warnings, where one was written before what is kept: one that is repeated pushes the others out of sight. */
  outOfSight(kept: number): string[] {
    const isAny = this.warnings.some(({at}) => this.#written - at > kept)
    return isAny ? this.warnings.map(({text}) => text) : []
  }

  #warn(text: string): void {
    this.warnings.push({at: this.#written, text})
  }
}
