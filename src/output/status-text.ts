// The status of a node as people read it: a line for each part, then what is not right and what to do, the verdict last.
import type {StatusDocument, StatusProblem} from '../pipeline/status-report.js'
import {duration} from './figures.js'
import {statusDetails} from './status-details.js'
import {statusRows, type StatusRow} from './status-rows.js'
import {ascii, printable, wrap} from './text-shape.js'
import type {Theme} from './theme.js'

export interface StatusLook {
  readonly columns: number
  /** Letters outside ASCII as escapes: what is no terminal may be read in any code page. */
  readonly plain: boolean
  readonly theme: Theme
  readonly wide: boolean
}

const LABEL_COLUMNS = 10
const NARROWEST = 40

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
    ...problems.flatMap((problem) => [...problemLines(problem, look), '']),
    ...unseen.flatMap(({what, why}) =>
      hanging(`${theme.symbols.warn} `, `Not looked at: ${what}: ${why}`, look, theme.warn),
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

function problemLines(problem: StatusProblem, look: StatusLook): string[] {
  const {area, cause, next, seen, signature, subject, wanted} = problem
  const {theme} = look
  const part = (label: string, text: string): string[] => hanging(`    ${label.padEnd(6)}  `, text, look)
  return [
    ...hanging(`${theme.symbols.bad} `, `${subject} (${area})`, look, theme.bad),
    ...part('seen', seen),
    ...part('wanted', wanted),
    ...part('cause', signature === undefined ? cause : `${cause} (a known failure: ${signature})`),
    ...part('next', next),
  ]
}

function verdictLines(document: StatusDocument, look: StatusLook): string[] {
  const {theme} = look
  const {durationMs, exitCode, problems, unseen, verdict} = document
  const took = duration(durationMs)
  const counted = [
    count(problems.length, 'problem'),
    ...(unseen.length === 0 ? [] : [`${unseen.length} not looked at`]),
  ]
  const [paint, text] = {
    degraded: [theme.bad, `Degraded: ${counted.join(', ')} (exit code ${exitCode}, ${took})`] as const,
    healthy: [theme.good, `Healthy: everything was looked at and is as setup left it (${took})`] as const,
    'not set up': [theme.bad, `Not set up (exit code ${exitCode})`] as const,
  }[verdict]
  return wrap(text, lineWidth(look)).map((line) => paint(line))
}

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** The first line has the head, the others stand under its text. */
function hanging(head: string, text: string, look: StatusLook, paint?: (text: string) => string): string[] {
  return wrap(shown(text, look), lineWidth(look) - head.length).map((line, index) => {
    const start = index === 0 ? head : ' '.repeat(head.length)
    return `${index === 0 && paint ? paint(start) : start}${line}`.trimEnd()
  })
}

const shown = (text: string, {plain}: StatusLook): string => (plain ? ascii(printable(text)) : printable(text))

const lineWidth = ({columns}: StatusLook): number => Math.max(NARROWEST, columns - 1)
