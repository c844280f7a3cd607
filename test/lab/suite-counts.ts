// The numbers a suite ends with, and the line that carries them from the suite's process to the driver.

export interface SuiteCounts {
  passed: number
  failed: number
  skipped: number
}

export const SUMMARY_MARK = '# lab summary '

/** Undefined when the suite did not get to its end. */
export function readCounts(stdout: string): SuiteCounts | undefined {
  const line = stdout.split(/\r?\n/).findLast((text) => text.startsWith(SUMMARY_MARK))
  return line === undefined ? undefined : (JSON.parse(line.slice(SUMMARY_MARK.length)) as SuiteCounts)
}

/** Shown while it runs: everything but the summary. */
export function withoutSummary(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(SUMMARY_MARK))
    .join('\n')
}
