// How the status of a node is shown: as text or JSON; with --watch redrawn on a terminal, elsewhere one line per check.
import type {StatusDocument} from '../../pipeline/run/status-report.js'
import {bannerLines, openScreen, type Sink} from '../screen.js'
import {documentText} from '../run/json-view.js'
import {LiveRegion} from '../text/live-region.js'
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
  const screen = openScreen(stdout, environment, platform)
  const isText = format === 'text' || format === 'wide'
  if (!isText || (watch && !screen.isLive)) {
    const isDocument = format === 'json' && !watch
    return (document) => void stdout.write(documentText(document, isDocument ? 'json' : 'ndjson'))
  }

  const isWide = format === 'wide'
  const region = new LiveRegion(screen)
  return (document) => {
    const head = bannerLines(document.simulated)
    if (!watch) {
      stdout.write(`${[...head, ...statusLines(document, screen, isWide)].join('\n')}\n`)
      return
    }
    // The cursor takes a row, and so does the last line.
    const room = screen.rows - 2 - head.length
    const lines = fittedLines(document, screen, {isWide, room})
    region.draw([...head, ...lines, `Checked at ${document.finishedAt}; Ctrl-C ends.`])
  }
}
