// Turns what a machine rejects with into an error with cause and fix.
import {deadlinePassed, interrupted, timeoutPassed} from '../../errors/health.js'
import {answerTooLarge, serverUnreachable} from '../../errors/cluster.js'
import {commandIn, K8sWinError} from '../../errors/k8s-win-error.js'
import {fileRefused, noAnswer, programFailed, windowsCallFailed} from '../../errors/windows.js'
import {DeadlineError} from '../../machine/clock.js'
import {FileError} from '../../machine/files.js'
import {HttpError} from '../../machine/http.js'
import {sizeText} from '../../machine/http-limit.js'
import {ProgramNotFoundError, ProgramNotStartedError, ProgramOutputError} from '../../machine/run.js'
import {EffectDeadlineError} from '../../machine/pending-effects.js'
import {Win32Error} from '../../machine/win32.js'
import type {ErrorDocument} from './events.js'
import {withKnownWords} from './known-failure.js'

/** The reason of a run's signal after Ctrl-C. */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted')
    this.name = 'InterruptedError'
  }
}

/** The reason of a run's signal when its --timeout has passed. */
export class TimeLimitError extends Error {
  constructor(readonly ms: number) {
    super(`not done within ${ms / 1000} s`)
    this.name = 'TimeLimitError'
  }
}

/** Undefined for an unforeseen error, which is a bug. `waiting`: what was not answered yet. */
export function toUserError(error: unknown, where: string, waiting = 'nothing outside'): K8sWinError | undefined {
  const options = {cause: error}
  if (error instanceof K8sWinError) return withKnownWords(error)
  if (error instanceof InterruptedError) return interrupted({}, options)
  if (error instanceof TimeLimitError) return timeoutPassed({limit: seconds(error), step: where, waiting}, options)
  if (error instanceof EffectDeadlineError) return noAnswer({limit: seconds(error), what: error.what}, options)
  if (error instanceof DeadlineError) return deadlinePassed({limit: seconds(error), step: where, waiting}, options)

  if (error instanceof FileError) {
    return fileRefused({code: error.code, operation: error.operation, path: error.path}, options)
  }

  if (error instanceof Win32Error) {
    return windowsCallFailed({call: `${error.call}(${error.subject})`, code: String(error.code)}, options)
  }

  if (error instanceof ProgramNotFoundError) {
    return programFailed({program: error.program, reason: 'The program does not exist.'}, options)
  }

  if (error instanceof ProgramNotStartedError) {
    return programFailed({program: error.program, reason: `Windows did not start it (${error.code}).`}, options)
  }

  if (error instanceof ProgramOutputError) {
    return programFailed({program: error.program, reason: `It printed more than ${sizeText(error.limit)}.`}, options)
  }

  if (error instanceof HttpError && error.code === 'TOO_LARGE') {
    return answerTooLarge({reason: error.message, server: hostOf(error.url)}, options)
  }

  if (error instanceof HttpError) {
    return serverUnreachable({reason: `${error.message} (${error.code}).`, server: hostOf(error.url)}, options)
  }

  return undefined
}

export function documentOf(error: K8sWinError): ErrorDocument {
  return {
    cause: error.reason,
    command: commandIn(error.fix),
    fix: error.fix,
    id: error.id,
    message: error.message,
    url: error.url,
  }
}

const seconds = ({ms}: {readonly ms: number}): string => `${Math.round(ms / 1000)} s`

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
