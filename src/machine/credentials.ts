// Takes credentials out of URLs and texts before anyone sees them: errors, traces, transcripts.

const SECRET_PARAMETER = /auth|code|credential|key|pass|secret|sig|token/iu
const HIDDEN = '***'

/** The URL without its user and password, and without the values of parameters that sound secret. */
export function safeUrl(url: string): string {
  if (!URL.canParse(url)) return withoutCredentials(url)
  const parsed = new URL(url)
  parsed.username = ''
  parsed.password = ''
  parsed.hash = ''
  for (const name of new Set(parsed.searchParams.keys())) {
    if (SECRET_PARAMETER.test(name)) parsed.searchParams.set(name, HIDDEN)
  }
  return parsed.href
}

/** The text with `user:password@` taken out of every URL in it. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/:\/\/[^\s"'/?#]*@/g, `://${HIDDEN}@`)
}
