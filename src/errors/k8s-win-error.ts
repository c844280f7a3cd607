// The error class that users see: what failed, why, what to do, and the exit code.

export interface ErrorText {
  /** Why it happens, in a sentence. */
  readonly cause: string
  readonly exitCode: number
  /** What to do, with the exact command where there is one. */
  readonly fix: string
  /** The known failure whose cause and fix were added; one is added once. */
  readonly known?: string
  readonly message: string
  /** What is needed in place of what was found, where the message is a figure. */
  readonly wanted?: string
}

export class K8sWinError extends Error {
  readonly exitCode: number
  readonly fix: string
  readonly known: string | undefined
  readonly reason: string
  readonly wanted: string | undefined

  constructor(
    /** Stable, SCREAMING_SNAKE. */
    readonly id: string,
    text: ErrorText,
    options?: ErrorOptions,
  ) {
    super(text.message, options)
    this.name = 'K8sWinError'
    this.exitCode = text.exitCode
    this.fix = text.fix
    this.known = text.known
    this.reason = text.cause
    this.wanted = text.wanted
  }

  /** Where the catalogue's page explains it. */
  get url(): string {
    return `docs/errors.md#${this.id.toLowerCase()}`
  }

  /** A copy with other texts, of which this error is the cause. */
  with(changes: Partial<ErrorText>): K8sWinError {
    const {exitCode, fix, known, message, reason: cause, wanted} = this
    const text = {cause, exitCode, fix, message, ...(known && {known}), ...(wanted && {wanted}), ...changes}
    return new K8sWinError(this.id, text, {cause: this})
  }
}

/** Several errors of the configuration or the host, reported together. */
export class ProblemsError extends Error {
  readonly #exitCode: number | undefined

  /** `exitCode` where it is not that of one of them. */
  constructor(
    readonly problems: readonly K8sWinError[],
    exitCode?: number,
  ) {
    super(problems.map((problem) => problem.message).join('\n'))
    this.name = 'ProblemsError'
    this.#exitCode = exitCode
  }

  /** The gravest: a wrong configuration (2) before a host that does not qualify (3). */
  get exitCode(): number {
    return this.#exitCode ?? Math.min(...this.problems.map((problem) => problem.exitCode))
  }
}

/** What is wrong with a user's file, as the end of a sentence about it. The caller adds its name and the fix. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError'
}

/** Commands that show something and fix nothing. */
const READS =
  /^(?:docker run|k8s-win (?:doctor|explain|logs|status|verify|\w+ --help)|kubectl (?:config|describe|get)|netsh)\b/

/** The command in quotes in the text of a fix, for programs: k8s-win's own, or else the one after the word "run". */
export function commandIn(fix: string): string | null {
  const own = /"(k8s-win (?:recover|reset|setup|upgrade)\b[^"\n]*)"/.exec(fix)?.[1]
  const command = own ?? /\brun:? "([^"\n]+)"/i.exec(fix)?.[1]
  // What is in angle brackets has to be filled in.
  return command === undefined || READS.test(command) || command.includes('<') ? null : command
}
