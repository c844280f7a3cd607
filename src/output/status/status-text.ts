// The status of a node as people read it: a line for each part, then what is not right and what to do, the verdict last.
import type {StatusDocument} from '../../pipeline/run/status-report.js'
import {duration} from '../text/figures.js'
import {statusDetails} from './status-details.js'
import {statusRows, type StatusRow} from './status-rows.js'
import {count, hanging, type LineLook, lineWidth, problemLines, shown} from '../text/problem-lines.js'
import {wrap} from '../text/text-shape.js'

export interface StatusLook extends LineLook {
  readonly wide: boolean
}

const LABEL_COLUMNS = 10

export function statusLines(document: StatusDocument, look: StatusLook): string[] {
  if (document.verdict === 'not set up') return trouble(document, look)
  return [
    ...partLines(document, look),
    ...(look.wide ? ['', ...detailLines(document, look)] : []),
    '',
    ...trouble(document, look),
  ]
}

/** Only what is not right, and the verdict: for a window that has no room for more. */
export function trouble(document: StatusDocument, look: StatusLook): string[] {
  const {problems, unseen, warnings} = document
  const {theme} = look
  return [
    ...problemLines(problems, look),
    ...unseen.flatMap(({what, why}) =>
      hanging(`${theme.symbols.warn} `, `Not checked: ${what}: ${why}`, look, theme.warn),
    ),
    ...warnings.flatMap((text) => hanging(`${theme.symbols.warn} `, `Warning: ${text}`, look, theme.warn)),
    ...(unseen.length + warnings.length > 0 ? [''] : []),
    ...verdictLines(document, look),
  ]
}

function partLines(document: StatusDocument, look: StatusLook): string[] {
  const {theme} = look
  const paint = {bad: theme.bad, good: theme.good, unseen: theme.warn}
  const symbol = {bad: theme.symbols.bad, good: theme.symbols.good, unseen: theme.symbols.warn}
  return statusRows(document).flatMap(({label, mark, text}: StatusRow) =>
    hanging(`${symbol[mark]} ${label.padEnd(LABEL_COLUMNS)} `, text, look, paint[mark]),
  )
}

const detailLines = (document: StatusDocument, look: StatusLook): string[] =>
  statusDetails(document).flatMap((text) => wrap(shown(text, look), lineWidth(look), '    '))

function verdictLines(document: StatusDocument, look: StatusLook): string[] {
  const {theme} = look
  const {durationMs, exitCode, problems, unseen, verdict} = document
  const took = duration(durationMs)
  const roots = problems.filter(({explainedBy}) => explainedBy === undefined).length
  const counted = [
    count(roots, 'problem'),
    ...(roots === problems.length ? [] : [`${problems.length - roots} that depend on ${roots === 1 ? 'it' : 'them'}`]),
    ...(unseen.length === 0 ? [] : [`${unseen.length} not checked`]),
  ]
  const [paint, text] = {
    degraded: [theme.bad, `Degraded: ${counted.join(', ')} (exit code ${exitCode}, ${took})`] as const,
    healthy: [theme.good, `Healthy: everything was checked and is as setup left it (${took})`] as const,
    'not set up': [theme.bad, `Not set up (exit code ${exitCode})`] as const,
    unknown: [
      theme.warn,
      `Unknown: no problem found, but ${count(unseen.length, 'thing')} could not be checked (exit code ${exitCode}, ${took})`,
    ] as const,
  }[verdict]
  return wrap(text, lineWidth(look)).map((line) => paint(line))
}
