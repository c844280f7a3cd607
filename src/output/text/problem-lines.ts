// Problems as people read them: the root cause in full, what it explains folded into one line.
import type {StatusProblem} from '../../pipeline/run/status-report.js'
import {ascii, printable, wrap} from './text-shape.js'
import type {Theme} from './theme.js'

export interface LineLook {
  readonly columns: number
  /** Letters outside ASCII as escapes: what is no terminal may be read in any code page. */
  readonly plain: boolean
  readonly theme: Theme
}

const NARROWEST = 40
/** Of the consequences of one root: more would hide it again. */
const MOST_NAMED = 5

/** Of every root; each ends with an empty line. */
export function problemLines(problems: readonly StatusProblem[], look: LineLook): string[] {
  return problems.flatMap((problem, index) => {
    if (problem.explainedBy !== undefined) return []
    const explained = problems.slice(index + 1, index + 1 + (problem.consequences ?? 0))
    return [...rootLines(problem, explained, look), '']
  })
}

function rootLines(problem: StatusProblem, explained: readonly StatusProblem[], look: LineLook): string[] {
  const {area, cause, dependents = 0, id, next, seen, signature, subject, wanted} = problem
  const [firstLine = '', ...commands] = next.split('\n')
  const {theme} = look
  const part = (label: string, text: string): string[] => hanging(`    ${label.padEnd(6)}  `, text, look)
  return [
    ...hanging(`${theme.symbols.bad} `, `${subject} (${area}): ${id}`, look, theme.bad),
    ...part('seen', seen),
    ...part('wanted', wanted),
    ...part('cause', signature === undefined ? cause : `${cause} (a known failure: ${signature})`),
    ...part('next', firstLine),
    // Commands to copy, which are never broken.
    ...commands.map((command) => `            ${shown(command, look)}`),
    ...(explained.length === 0 ? [] : part('so', explainedText(explained))),
    ...(dependents === 0
      ? []
      : part('so', `${count(dependents, 'check')} ${dependents === 1 ? 'depends' : 'depend'} on this`)),
  ]
}

function explainedText(explained: readonly StatusProblem[]): string {
  const named = explained.slice(0, MOST_NAMED).map(({id, subject}) => `${subject} (${id})`)
  const more = explained.length > MOST_NAMED ? ` and ${explained.length - MOST_NAMED} more` : ''
  const verb = explained.length === 1 ? 'problem depends' : 'problems depend'
  return `${explained.length} ${verb} on this: ${named.join(', ')}${more}`
}

export const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** The first line has the head, the others stand under its text. */
export function hanging(head: string, text: string, look: LineLook, paint?: (text: string) => string): string[] {
  return wrap(shown(text, look), lineWidth(look) - head.length).map((line, index) => {
    const start = index === 0 ? head : ' '.repeat(head.length)
    return `${index === 0 && paint ? paint(start) : start}${line}`.trimEnd()
  })
}

export const shown = (text: string, {plain}: LineLook): string => (plain ? ascii(printable(text)) : printable(text))

export const lineWidth = ({columns}: LineLook): number => Math.max(NARROWEST, columns - 1)
