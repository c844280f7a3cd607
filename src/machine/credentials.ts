// Takes credentials out of URLs and texts before anyone sees them: errors, traces, transcripts.
import {remembered} from './remembered.js'

const SECRET_PARAMETER = /auth|code|credential|key|pass|secret|sig|token/iu
const HIDDEN = '***'

/** The URL without its user and password, and without the values of parameters that sound secret. */
export const safeUrl: (url: string) => string = remembered((url) => {
  const parsed = parse(url)
  if (!parsed) return withoutCredentials(url)
  parsed.username = ''
  parsed.password = ''
  parsed.hash = ''
  for (const name of new Set(parsed.searchParams.keys())) {
    if (SECRET_PARAMETER.test(name)) parsed.searchParams.set(name, HIDDEN)
  }
  return parsed.href
})

function parse(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}

/** The text with `user:password@` taken out of every URL in it. */
export function withoutCredentials(text: string): string {
  // Most texts have none, and a simple search is faster.
  return !text.includes('@') ? text : text.replaceAll(/:\/\/[^\s"'/?#]*@/g, `://${HIDDEN}@`)
}
