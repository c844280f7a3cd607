// One answer of HNS: {"Success", "Error", "ErrorCode", "Output"}, or whatever else came (facts d.15).
import {isRecord} from './objects.js'

interface Answer {
  /** In the system's language. */
  readonly error: string
  readonly code: number | undefined
  readonly output: unknown
  readonly success: boolean
}

export function parseAnswer(response: string): Answer | undefined {
  const answer = parse(response)
  if (!isRecord(answer)) return undefined
  const {Error: error, ErrorCode: code, Output: output, Success: success} = answer
  return {
    code: typeof code === 'number' ? code : undefined,
    // It ends with a blank.
    error: typeof error === 'string' ? error.trim() : '',
    output,
    success: success === true,
  }
}

function parse(response: string): unknown {
  try {
    return JSON.parse(response) as unknown
  } catch {
    return undefined
  }
}
