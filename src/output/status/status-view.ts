// How looks at a node are shown: as text, as JSON, and while somebody watches, redrawn or one line a look.
import type {StatusDocument} from '../../pipeline/run/status-report.js'
import {openScreen, type Sink} from '../screen.js'
import {LiveRegion} from '../text/live-region.js'
import {bannerLines} from '../text/simulated-banner.js'
import {fittedLines, statusLines} from './status-text.js'

export type StatusFormat = 'json' | 'ndjson' | 'text' | 'wide'

export interface StatusViewOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly format: StatusFormat
  readonly platform: NodeJS.Platform
  readonly stdout: Sink
  readonly watch: boolean
}

export type ShowStatus = (document: StatusDocument) => void

export function statusView({environment, format, platform, stdout, watch}: StatusViewOptions): ShowStatus {
  const isText = format === 'text' || format === 'wide'
  const oneLine: ShowStatus = (document) => void stdout.write(`${JSON.stringify(document)}\n`)
  if (!isText) {
    return format === 'ndjson' || watch
      ? oneLine
      : (document) => void stdout.write(`${JSON.stringify(document, undefined, 2)}\n`)
  }

  const screen = openScreen(stdout, environment, platform)
  const linesOf = (document: StatusDocument): string[] => [
    ...bannerLines(document.simulated),
    ...statusLines(document, screen, format === 'wide'),
  ]
  if (!watch) return (document) => void stdout.write(`${linesOf(document).join('\n')}\n`)
  if (!screen.isLive) return oneLine

  const region = new LiveRegion(screen)
  return (document) => {
    const head = bannerLines(document.simulated)
    // The cursor takes a row, and so does the last line.
    const room = screen.rows - 2 - head.length
    const lines = fittedLines(document, screen, {isWide: format === 'wide', room})
    region.draw([...head, ...lines, `Checked at ${document.finishedAt}; Ctrl-C ends.`])
  }
}
