// Answers of the simulated Docker Engine: errors, and streams of JSON lines.
import {JSON_TYPE, type ModelResponse} from '../model.js'

export class DockerRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The exit code of a command that failed in a build. */
    readonly code?: number,
  ) {
    super(message)
  }
}

export const empty = (status: number): ModelResponse => ({body: '', status})

/** The status is 200 once the first line is sent; an error is one more line. */
export function jsonLines(lines: AsyncIterable<object>): ModelResponse {
  return {body: encodeLines(lines), headers: JSON_TYPE, status: 200}
}

async function* encodeLines(lines: AsyncIterable<object>): AsyncIterable<string> {
  try {
    for await (const line of lines) yield `${JSON.stringify(line)}\r\n`
  } catch (error) {
    if (!(error instanceof DockerRefusal)) throw error
    const {code, message} = error
    yield `${JSON.stringify({errorDetail: {...(code && {code}), message}, error: message})}\r\n`
  }
}

/** Booleans in a query. */
export const isTrue = (value: string | null): boolean => ['1', 'true'].includes(value?.toLowerCase() ?? '')
