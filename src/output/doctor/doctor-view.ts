// The views of doctor: text or one JSON document at the end, or one line of JSON per check as it ends.
import {bannerLines, openScreen, type Sink} from '../screen.js'
import {LiveRegion} from '../text/live-region.js'
import {truncate} from '../text/text-shape.js'
import type {DoctorCheck, DoctorDocument} from './doctor-document.js'
import {doctorLines} from './doctor-text.js'
import {documentText} from '../run/json-view.js'
import type {Timestamp} from '../../pipeline/run/events.js'

export interface DoctorViewOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly format: 'json' | 'ndjson' | 'text'
  readonly now: () => number
  readonly platform: NodeJS.Platform
  readonly stdout: Sink
  /** Every check, not only what needs attention. */
  readonly verbose: boolean
}

/** A check with its group. */
export type GroupedCheck = DoctorCheck & {readonly group: string}

/** A line of `doctor --output ndjson`. */
export type DoctorEvent = {readonly at: Timestamp} & (
  | {readonly check: GroupedCheck; readonly type: 'check'}
  | {readonly result: DoctorDocument; readonly type: 'run-finished'}
)

export interface DoctorView {
  check(check: GroupedCheck): void
  finish(document: DoctorDocument): void
  /** Restores the terminal, however doctor ends. */
  stop(): void
}

export function doctorView(options: DoctorViewOptions): DoctorView {
  const {environment, format, now, platform, stdout, verbose} = options
  const at = (): Timestamp => new Date(now()).toISOString()
  const nothing = (): void => {}
  if (format === 'ndjson') {
    const line = (event: DoctorEvent): void => void stdout.write(documentText(event, 'ndjson'))
    return {
      check: (check) => line({at: at(), check, type: 'check'}),
      finish: (result) => line({at: at(), result, type: 'run-finished'}),
      stop: nothing,
    }
  }
  if (format === 'json') {
    const finish = (document: DoctorDocument): void => void stdout.write(documentText(document))
    return {check: nothing, finish, stop: nothing}
  }

  const screen = openScreen(stdout, environment, platform)
  const {isLive, theme} = screen
  const region = new LiveRegion(screen)
  let done = 0
  return {
    check({title}) {
      const text = `${++done} checks done, last: ${title}`
      if (isLive) region.draw([theme.dim(truncate(text, screen.width, theme.ellipsis))])
    },
    finish(document) {
      region.clear()
      stdout.write(`${[...bannerLines(document.simulated), ...doctorLines(document, screen, verbose)].join('\n')}\n`)
    },
    stop: () => region.clear(),
  }
}
