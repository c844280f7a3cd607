// Secrets to be planted, and the search for them in whatever form they come out.

/** What must never be seen: the secret text itself. */
export interface Canary {
  readonly kind: string
  readonly secret: string
}

/** Long enough that no part of it turns up by chance. */
const MARK = 'cAnArYx7Qz'

export const token: Canary = {kind: 'token', secret: `${MARK}.tok-en_1~AbCdEfGhIjKlMnOp+/=`}
export const jwt: Canary = {
  kind: 'JWT',
  secret: ['{"alg":"RS256"}', `{"sub":"${MARK}"}`, MARK]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.'),
}
export const bootstrapToken: Canary = {kind: 'bootstrap token', secret: 'c4n4ry.x7qz0123456789ab'}
export const password: Canary = {kind: 'password', secret: `${MARK}p@ss/w"o\\rd ü%`}
export const signature: Canary = {kind: 'SAS signature', secret: `${MARK}sIg/na+ture=`}
export const dockerAuth: Canary = {kind: 'docker auth', secret: Buffer.from(`bob:${MARK}docker`).toString('base64')}
export const execSecret: Canary = {kind: 'secret of an exec plugin', secret: `${MARK}exec-plug-in-secret`}

export const proxyUrl = `http://bob:${encodeURIComponent(password.secret)}@proxy.example.com:3128`
export const serverUrl = `https://bob:${encodeURIComponent(password.secret)}@10.0.0.10:6443`
export const sasUrl = `https://store.example.com/images?sv=2021&sig=${encodeURIComponent(signature.secret)}`

/** Every form a text comes out in: plain, as JSON and URLs write it, in base64 at any offset. */
export function formsOf({secret}: Canary): string[] {
  const encoded = encodeURIComponent(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    encoded,
    encoded.replaceAll(/%../g, (code) => code.toLowerCase()),
    encodeURI(secret),
    ...[0, 1, 2].flatMap((offset) => base64Inside(secret, offset)),
  ]
}

/** Base64 of a text with the secret somewhere in it: the letters that do not depend on what is around. */
function base64Inside(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
  const text = bytes.toString('base64').replace(/=+$/, '')
  const inner = text.slice(offset === 0 ? 0 : offset + 1, text.length - 2)
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}

/** Where a canary is found, with what is around it. Lines may have been wrapped. */
export function sightings(canaries: readonly Canary[], place: string, text: string): string[] {
  const unwrapped = text.replaceAll(/\s+/g, '')
  return canaries.flatMap((canary) =>
    formsOf(canary)
      .filter((form) => text.includes(form) || unwrapped.includes(form.replaceAll(/\s+/g, '')))
      .map((form) => `${canary.kind} in ${place}: ${around(text, form)}`),
  )
}

function around(text: string, form: string): string {
  const at = text.indexOf(form)
  return at === -1 ? form : text.slice(Math.max(0, at - 60), at + form.length + 20)
}
