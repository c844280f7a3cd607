// Errors and problems as text: what, why, what to do; of problems the root cause in full, the rest folded.
import type {ErrorDocument} from '../../pipeline/run/events.js'
import {problemText, type StatusProblem} from '../../pipeline/run/status-report.js'
import type {Screen} from '../screen.js'
import {wrap} from './text-shape.js'

/** How text is fitted: what is needed of a screen. */
export type Fit = Pick<Screen, 'clean' | 'width'>

/** How many consequences of one root are named: more would hide it again. */
const MOST_NAMED = 5

const unpainted = (text: string): string => text

export const errorLines = (errors: readonly ErrorDocument[], fit: Fit, paint = unpainted): string[] =>
  errors.flatMap((error) => [
    ...textLines(`Error: ${error.message}`, fit).map((line) => paint(line)),
    ...detailLines(error, fit),
  ])

/** As an error, of what does not make a run one. */
export const warningLines = (error: ErrorDocument, fit: Fit): string[] => [
  ...textLines(`Warning: ${error.message}`, fit),
  ...detailLines(error, fit),
]

/** Of an error `explain` has no more than this; of a known failure, where it is described in public. */
type Explained = Pick<ErrorDocument, 'cause' | 'fix' | 'id'> & {
  readonly signature?: string | undefined
}

function detailLines({cause, fix, id, signature}: Explained, fit: Fit, more: readonly string[] = []): string[] {
  return indented(fit, (narrower) => [
    ...textLines(`Cause: ${cause}`, narrower),
    ...fixLines(fix, narrower),
    ...more.flatMap((text) => textLines(text, narrower)),
    ...textLines(signature === undefined ? `ID: ${id}` : `ID: ${id}, see "k8s-win explain ${signature}"`, narrower),
  ])
}

/** What to do, and under it commands, each whole on a line of its own: they are to be copied. */
export function fixLines(fix: string, fit: Fit): string[] {
  const [first = '', ...commands] = fix.split('\n')
  return [...textLines(`Fix: ${first}`, fit), ...commands.map((command) => `  ${fit.clean(command)}`)]
}

export const textLines = (text: string, {clean, width}: Fit): string[] => wrap(clean(text), width, '  ')

export const indented = ({clean, width}: Fit, lines: (fit: Fit) => readonly string[]): string[] =>
  lines({clean, width: width - 2}).map((line) => `  ${line}`)

/** The lines of every root; each root ends with an empty line. */
export function problemLines(problems: readonly StatusProblem[], screen: Screen): string[] {
  return problems.flatMap((problem, index) => {
    if (problem.explainedBy !== undefined) return []
    const explained = problems.slice(index + 1, index + 1 + (problem.consequences ?? 0))
    return [...rootLines(problem, explained, screen), '']
  })
}

function rootLines(problem: StatusProblem, explained: readonly StatusProblem[], screen: Screen): string[] {
  const {cause, dependents = 0, id, next, signature} = problem
  const {theme} = screen
  return [
    ...hanging(`${theme.symbols.bad} `, `Error: ${problemText(problem)}`, screen, theme.bad),
    ...detailLines({cause, fix: next, id, signature}, screen, [
      ...(explained.length === 0 ? [] : [explainedText(explained)]),
      ...(dependents === 0 ? [] : [dependentsText(dependents)]),
    ]),
  ]
}

function explainedText(explained: readonly StatusProblem[]): string {
  const named = explained.slice(0, MOST_NAMED).map(({id, subject}) => `${subject} (${id})`)
  const more = explained.length > MOST_NAMED ? ` and ${explained.length - MOST_NAMED} more` : ''
  const verb = explained.length === 1 ? 'problem depends' : 'problems depend'
  return `${explained.length} ${verb} on this: ${named.join(', ')}${more}`
}

export const dependentsText = (dependents: number): string =>
  `${count(dependents, 'check')} ${dependents === 1 ? 'depends' : 'depend'} on this`

export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** The first line has the head, the others stand under its text. */
export function hanging(head: string, text: string, {clean, width}: Fit, paint = unpainted): string[] {
  return wrap(clean(text), width - head.length).map((line, index) =>
    `${index === 0 ? paint(head) : ' '.repeat(head.length)}${line}`.trimEnd(),
  )
}
