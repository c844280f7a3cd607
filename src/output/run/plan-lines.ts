// The plan of a dry run, which is the result that was asked for: a summary, then the changes of every step that has some.
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {bannerLines, type Screen} from '../screen.js'
import {hanging, textLines} from '../text/problems.js'
import {changeLines} from './terminal-lines.js'
import {changesToShow} from './verdict.js'

export function planLines(
  {command, recap, simulated, steps, summary = []}: RunResultDocument,
  screen: Screen,
): string[] {
  // A file has one change per line, whatever its length.
  const fit = {...screen, width: screen.isTerminal ? screen.width : Infinity}
  const planned = steps.filter(({state}) => state === 'would-change')
  const head = `Plan of k8s-win ${command}: ${recap.changed} of ${steps.length} steps would change something`
  return [
    // On a terminal it stands above already.
    ...bannerLines(simulated && !screen.isTerminal),
    ...textLines(head, fit).map((line) => screen.theme.bold(line)),
    ...summary.flatMap((line) => hanging('  ', line, fit)),
    ...planned.flatMap((step) => [
      '',
      ...textLines(`${step.title} (${step.id})`, fit),
      ...changeLines(changesToShow(step, true), fit),
    ]),
  ]
}
