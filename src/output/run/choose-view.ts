// Which views a run has: text on stderr; JSON, or the plan of a dry run, on stdout.
import {startTicker} from '../../machine/real/ticker.js'
import {jsonView, ndjsonView} from './json-view.js'
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {plainView} from './plain-view.js'
import {planLines} from './plan-lines.js'
import {type Redact, redactAll} from '../text/redact.js'
import {terminalView} from './terminal-view.js'
import {openScreen} from '../screen.js'
import type {View} from './text-view.js'

export interface ViewChoice {
  readonly dryRun?: boolean | undefined
  readonly environment: NodeJS.ProcessEnv
  readonly format: 'json' | 'ndjson' | 'text'
  readonly next: readonly string[]
  readonly now: () => number
  readonly platform: NodeJS.Platform
  /** Only the end is shown: the result, and the error of a run that failed. */
  readonly quiet?: boolean
  readonly redact: Redact
  readonly stderr: NodeJS.WriteStream
  readonly stdout: NodeJS.WriteStream
  readonly verbose: boolean
}

/** All views of a run as one, which never gets to see a secret. */
export function chooseView(choice: ViewChoice): View {
  const views = viewsOf(choice)
  return {
    listen(event) {
      const safe = redactAll(event, choice.redact)
      for (const view of views) view.listen(safe)
    },
    stop() {
      for (const view of views) view.stop()
    },
  }
}

function viewsOf(choice: ViewChoice): readonly View[] {
  const {dryRun = false, environment, format, next, now, platform, quiet, redact, stderr, stdout, verbose} = choice
  if (format === 'ndjson') return [ndjsonView(stdout)]

  const plan = (result: RunResultDocument): number => {
    const lines = result.steps.length === 0 ? [] : planLines(result, openScreen(stdout, environment, platform))
    if (format === 'text') stdout.write(lines.map((line) => `${line}\n`).join(''))
    return lines.length
  }
  const shared = {next, now, plan: dryRun ? plan : undefined, redact, ticker: startTicker, verbose}
  const screen = openScreen(stderr, environment, platform)
  const text = screen.isLive ? terminalView({...shared, screen}) : plainView({...shared, stream: stderr})
  const shown = quiet ? endOf(text) : text
  return format === 'json' ? [shown, jsonView(stdout)] : [shown]
}

const endOf = ({listen, stop}: View): View => ({
  listen: (event) => void (event.type === 'run-finished' && listen(event)),
  stop,
})
