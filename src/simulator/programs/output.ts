// What a simulated program gives back.

export interface ProgramOutput {
  readonly exitCode: number
  readonly stderr?: string
  readonly stdout?: string
}

/** Windows' own programs end lines with CR LF. */
export const windowsLines = (...lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('')
