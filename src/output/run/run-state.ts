// What is going on right now, and what was warned of, kept from the events: for views that repaint, beat or sum up.
import {type CheckResult, isComplete, type RunStepId, type TimedEvent, type WaitId} from '../../pipeline/run/events.js'
import {transferOf, type Transfer} from './transfer.js'
import {checkText, type CheckTally} from './verdict.js'

export interface RunningStep {
  readonly id: RunStepId
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** What it does or waits for. */
  readonly text?: string
  readonly title: string
  readonly transfer?: Transfer | undefined
}

interface Warning {
  /** What was written before it. */
  readonly at: number
  /** How much it took; 0 until it is written. */
  size: number
  readonly text: string
}

export class RunState {
  readonly checks: CheckTally = {fail: 0, 'not-checked': 0, pass: 0, warn: 0}
  /** Steps that are done, as the recap counts them. */
  finished = 0
  /** Of the run. */
  command = ''
  phase: 'before' | 'checking' | 'over' | 'stepping' = 'before'
  /** The oldest first. */
  readonly running = new Map<RunStepId, RunningStep>()
  startedAt = 0
  /** The titles of all steps of this run. */
  titles: readonly string[] = []
  /** What is waited for while no step runs. */
  wait: {readonly id: WaitId; readonly startedAt: number; readonly text: string} | undefined
  /** Steps that have not begun. */
  readonly waiting = new Set<RunStepId>()
  readonly warnings: Warning[] = []
  /** Rows or bytes, as the view counts. */
  #written = 0

  /** Where checks are all that a command does, those that could not be made are shown too. */
  isNotable({result}: CheckResult): boolean {
    return result === 'not-checked' ? this.titles.length === 0 : result !== 'pass'
  }

  note(event: TimedEvent): void {
    if (event.type !== 'progress' && event.type !== 'log') this.wait = undefined
    switch (event.type) {
      case 'run-started':
        // A run that was handed over to a service, and is shown here, begins once more, with its own checks and warnings.
        Object.assign(this.checks, {fail: 0, 'not-checked': 0, pass: 0, warn: 0})
        this.finished = 0
        this.running.clear()
        this.warnings.length = 0
        this.phase = 'checking'
        this.startedAt = Date.parse(event.at)
        this.titles = event.steps.map(({title}) => title)
        this.command = event.command
        this.waiting.clear()
        for (const {id} of event.steps) this.waiting.add(id)
        break
      case 'check': {
        const {result} = event.check
        this.checks[result] += 1
        if (result !== 'fail' && this.isNotable(event.check)) this.#warn(checkText(event.check))
        break
      }
      case 'step-started': {
        const {at, id, title} = event
        this.phase = 'stepping'
        this.waiting.delete(id)
        this.running.set(id, {id, startedAt: Date.parse(at), title})
        break
      }
      case 'progress': {
        const {at, id, text} = event
        if (id === 'smoke-test' || id === 'node-health') {
          this.wait = {id, startedAt: this.wait?.id === id ? this.wait.startedAt : Date.parse(at), text}
          break
        }
        const step = this.running.get(id)
        if (step) this.running.set(id, {...step, text, transfer: transferOf(step, event, Date.parse(at))})
        break
      }
      case 'step-finished':
        if (isComplete(event.step)) this.finished += 1
        this.running.delete(event.step.id)
        this.waiting.delete(event.step.id)
        break
      case 'log':
        if (event.level === 'warn') this.#warn(event.message)
        break
      case 'run-finished':
        this.stop()
        break
    }
  }

  transferOf(id: RunStepId | WaitId): Transfer | undefined {
    return this.running.get(id as RunStepId)?.transfer
  }

  /** Ends a run without its last event, too. */
  stop(): void {
    this.phase = 'over'
    this.wait = undefined
    this.running.clear()
  }

  wrote(amount: number): void {
    const last = this.warnings.at(-1)
    if (last?.at === this.#written) last.size = amount
    this.#written += amount
  }

  /** The warnings that were written before what is kept. One that is repeated may push others out of sight. */
  outOfSight(kept: number): string[] {
    let repeated: readonly Warning[] = []
    for (let room = kept; ;) {
      const limit = room
      const found = this.warnings.filter(({at}) => this.#written - at > limit)
      if (found.length === repeated.length) return [...new Set(found.map(({text}) => text))]
      repeated = found
      // With a heading, or a word before each, it may take more than the first time.
      room = kept - 2 * found.reduce((sum, {size}) => sum + size, 0)
    }
  }

  #warn(text: string): void {
    this.warnings.push({at: this.#written, size: 0, text})
  }
}
