// How doctor's findings are shown: as text or one document at the end, or a line of JSON a check as it ends.
import type {DoctorCheck, DoctorDocument} from './doctor-document.js'
import {doctorLines} from './doctor-text.js'
import {LiveRegion} from '../text/live-region.js'
import {bannerLines} from '../text/simulated-banner.js'
import {truncate} from '../text/text-shape.js'
import {createTheme, themeOptions} from '../text/theme.js'
import type {Sink} from '../run/view.js'

export interface DoctorViewOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly format: 'json' | 'ndjson' | 'text'
  readonly now: () => number
  readonly platform: NodeJS.Platform
  readonly stdout: Sink
}

/** A check with the group it belongs to, as it is told by itself. */
export type GroupedCheck = DoctorCheck & {readonly group: string}

export interface DoctorView {
  check(check: GroupedCheck): void
  finish(document: DoctorDocument): void
  /** Leaves the terminal in order, however it ends. */
  stop(): void
}

/** Of a file or a pipe: log viewers show as much, and nobody counts its columns. */
const PLAIN_COLUMNS = 120

export function doctorView({environment, format, now, platform, stdout}: DoctorViewOptions): DoctorView {
  const line = (event: object): void => {
    stdout.write(`${JSON.stringify({at: new Date(now()).toISOString(), ...event})}\n`)
  }
  const nothing = (): void => {}
  if (format === 'ndjson') {
    return {
      check: (check) => line({check, type: 'check'}),
      finish: (result) => line({result, type: 'run-finished'}),
      stop: nothing,
    }
  }
  if (format === 'json') {
    const finish = (document: DoctorDocument): void => void stdout.write(`${JSON.stringify(document, undefined, 2)}\n`)
    return {check: nothing, finish, stop: nothing}
  }
  return textView(stdout, environment, platform)
}

function textView(stdout: Sink, environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): DoctorView {
  const isTerminal = stdout.isTTY === true
  const isLive = isTerminal && environment['TERM'] !== 'dumb' && !environment['CI']
  const theme = createTheme(isTerminal ? themeOptions(environment, platform) : {colour: false, unicode: false})
  const columns = isTerminal ? stdout.columns || 80 : PLAIN_COLUMNS
  const region = new LiveRegion(stdout)
  let done = 0
  return {
    check({title}) {
      done++
      if (isLive)
        region.draw([theme.dim(truncate(`${done} checks done; the last: ${title}`, region.width, theme.ellipsis))])
    },
    finish(document) {
      region.clear()
      const lines = doctorLines(document, {columns, plain: !isTerminal, theme})
      stdout.write(`${[...bannerLines(document.simulated), ...lines].join('\n')}\n`)
    },
    stop: () => region.clear(),
  }
}
