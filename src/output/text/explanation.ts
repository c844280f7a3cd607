// An explained ID, as text and as a document.

export interface Explanation {
  readonly cause?: string
  /** Only errors have one. */
  readonly exitCode?: number
  readonly fix: string
  readonly id: string
  readonly kind: 'check' | 'error' | 'known failure'
  readonly message: string
  /** Where a known failure is described in public. */
  readonly sources?: readonly string[]
}

export function explanationLines({cause, exitCode, fix, id, kind, message, sources = []}: Explanation): string[] {
  return [
    `${id} (${kind})`,
    `  ${message}`,
    ...(cause === undefined ? [] : [`  Cause: ${cause}`]),
    `  Fix: ${fix}`,
    ...(exitCode === undefined ? [] : [`  Exit code: ${exitCode}`]),
    ...sources.map((source) => `  Source: ${source}`),
  ]
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
