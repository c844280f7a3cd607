// How the simulated Docker Engine answers: JSON, an error as {"message": …}, or JSON lines one after another.
import type {ModelResponse} from '../model.js'

const JSON_TYPE = {'content-type': 'application/json'}

/** An error that ends the request with this status. */
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

export const json = (status: number, value: unknown): ModelResponse => ({
  body: `${JSON.stringify(value)}\n`,
  headers: JSON_TYPE,
  status,
})

export const empty = (status: number): ModelResponse => ({body: '', status})

/** Once the first line is out the status is 200, and an error is one more line. */
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
