// An explained ID, as text and as a document.
import {type Fit, fixLines, indented, textLines} from './problems.js'
import {truncate} from './text-shape.js'

export interface Explanation {
  readonly cause?: string
  /** Only errors have one. */
  readonly exitCode?: number
  readonly fix: string
  readonly id: string
  readonly kind: 'check' | 'code of Windows' | 'error' | 'exit code' | 'known failure'
  readonly message: string
  /** Where a known failure is described in public. */
  readonly sources?: readonly string[]
}

const UNQUALIFIED = 3
/** Exit code 3 promises that nothing was changed (run-task.ts, afterBeginning; final-health.ts). */
const LATER = ', or 5 once a step has begun, 6 in the last check of setup'

export function explanationLines(
  {cause, exitCode, fix, id, kind, message, sources = []}: Explanation,
  fit: Fit,
): string[] {
  return [
    `${id} (${kind})`,
    ...indented(fit, (narrower) => [
      ...textLines(message, narrower),
      ...(cause === undefined ? [] : textLines(`Cause: ${cause}`, narrower)),
      ...fixLines(fix, narrower),
      ...(exitCode === undefined ? [] : [`Exit code: ${exitCode}${exitCode === UNQUALIFIED ? LATER : ''}`]),
      ...sources.flatMap((source) => textLines(`Source: ${source}`, narrower)),
    ]),
  ]
}

/** Every ID on a line, under its kind. */
export function listLines(all: readonly Explanation[], {clean, width}: Fit): string[] {
  const widest = Math.max(...all.map(({id}) => id.length))
  return [...new Set(all.map(({kind}) => kind))].flatMap((kind) => [
    `${kind}:`,
    ...all
      .filter((one) => one.kind === kind)
      .map(
        ({id, message}) =>
          `  ${id.padEnd(widest)}  ${truncate(clean(message), Math.max(20, width - widest - 4), '...')}`,
      ),
  ])
}

/** The document of `explain --output json`, one per ID. */
export interface ExplanationDocument extends Explanation {
  readonly command: 'explain'
  readonly schemaVersion: 1
  readonly simulated: false
}

export const explanationDocument = (explanation: Explanation): ExplanationDocument => ({
  command: 'explain',
  schemaVersion: 1,
  simulated: false,
  ...explanation,
})
