// How looks at a node are shown: as text, as JSON, and while somebody watches, redrawn or one line a look.
import type {StatusDocument} from '../../pipeline/run/status-report.js'
import {LiveRegion} from '../text/live-region.js'
import {bannerLines} from '../text/simulated-banner.js'
import {type StatusLook, statusLines, trouble} from './status-text.js'
import {createTheme, themeOptions} from '../text/theme.js'
import type {Sink} from '../run/view.js'

export type StatusFormat = 'json' | 'ndjson' | 'text' | 'wide'

export interface StatusViewOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly format: StatusFormat
  readonly platform: NodeJS.Platform
  readonly stdout: Sink
  readonly watch: boolean
}

/** Of a file or a pipe: log viewers show as much, and nobody counts its columns. */
const PLAIN_COLUMNS = 120

export type ShowStatus = (document: StatusDocument) => void

export function statusView({environment, format, platform, stdout, watch}: StatusViewOptions): ShowStatus {
  const isText = format === 'text' || format === 'wide'
  const isTerminal = stdout.isTTY === true
  const isLive = isTerminal && environment['TERM'] !== 'dumb' && !environment['CI']
  const oneLine: ShowStatus = (document) => void stdout.write(`${JSON.stringify(document)}\n`)
  if (!isText) {
    return format === 'ndjson' || watch
      ? oneLine
      : (document) => void stdout.write(`${JSON.stringify(document, undefined, 2)}\n`)
  }

  const look = (): StatusLook => ({
    columns: isTerminal ? stdout.columns || 80 : PLAIN_COLUMNS,
    plain: !isTerminal,
    theme: createTheme(isLive ? themeOptions(environment, platform) : {colour: false, unicode: false}),
    wide: format === 'wide',
  })
  const linesOf = (document: StatusDocument): string[] => [
    ...bannerLines(document.simulated),
    ...statusLines(document, look()),
  ]
  if (!watch) return (document) => void stdout.write(`${linesOf(document).join('\n')}\n`)
  if (!isLive) return oneLine

  const region = new LiveRegion(stdout)
  return (document) => {
    const room = region.windowRows - 1
    const whole = [...linesOf(document), `Seen at ${document.finishedAt}; Ctrl-C ends.`]
    region.draw((whole.length <= room ? whole : trouble(document, look())).slice(0, room))
  }
}
