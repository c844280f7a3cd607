// The timeline of a setup, as the page of a run has it.
import {timelineMarkup} from '../../../src/output/report/timeline-svg.js'
import {timelineOf} from '../../../src/output/report/timeline.js'
import {duration} from '../../../src/output/text/figures.js'
import type {TimedEvent} from '../../../src/pipeline/run/events.js'
import {STEPS} from '../../../src/steps/index.js'

export function timelinePicture(events: readonly TimedEvent[]): string {
  const needs = Object.fromEntries(STEPS.map(({id, needs: ids}) => [id, ids]))
  const {interruptions, rows, totalMs} = timelineOf(events, needs)
  const spoken = rows.map(({from, label, to}) => `${label} from ${duration(from)} to ${duration(to)}`)
  const svg = timelineMarkup(rows, {
    interruptions,
    summary: `Steps of k8s-win setup on a simulated host, which took ${duration(totalMs)}: ${spoken.join('; ')}.`,
    title: 'The timeline of a setup',
    totalMs,
  }).text
  // In a page it is as wide as the page; alone it needs a size.
  return `${svg.replace(/viewBox="0 0 (\d+) (\d+)"/, '$& width="$1" height="$2"')}\n`
}
