// PEM as Go's encoding/pem reads it. OpenSSL also accepts other labels ("TRUSTED CERTIFICATE", "X509 CERTIFICATE") and
// stops at the first broken block; the daemons do neither, so Node's own reading would promise what they do not keep.

export interface PemBlock {
  readonly der: Buffer
  /** Go's callers skip a certificate that has any. */
  readonly hasHeaders: boolean
  readonly label: string
}

const BEGIN = '-----BEGIN '
const END = '-----END '
const DASHES = '-----'
// Spaces and line breaks may stand anywhere in it. Anchored, so that a text that is none fails at its first such letter.
const BASE64 = /^[\d+/a-z\s]*={0,2}\s*$/i

/** Every block that is whole, in order. What is not is skipped, together with nothing but its first line. */
export function pemBlocks(text: string): PemBlock[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, '').trimEnd())
  const blocks: PemBlock[] = []
  // The first END line at or after a line, found once for all BEGIN lines before it: a hostile text costs no more.
  let end = -1
  for (let at = 0; at < lines.length; at++) {
    const label = labelOf(lines[at] ?? '', BEGIN)
    if (label === undefined) continue
    let body = at + 1
    while (lines[body]?.includes(':')) body++
    if (end < body) for (end = body; end < lines.length && !lines[end]?.startsWith(END);) end++
    if (end === lines.length) break
    if (labelOf(lines[end] ?? '', END) !== label) continue
    const der = fromBase64(lines, body, end)
    if (der === undefined) continue
    blocks.push({der, hasHeaders: body > at + 1, label})
    at = end
  }

  return blocks
}

export function pemText({der, label}: PemBlock): string {
  const body = der.toString('base64').match(/.{1,64}/g) ?? []
  return [`${BEGIN}${label}${DASHES}`, ...body, `${END}${label}${DASHES}`, ''].join('\n')
}

function labelOf(line: string, start: string): string | undefined {
  if (!line.startsWith(start) || !line.endsWith(DASHES)) return undefined
  return line.length < start.length + DASHES.length ? undefined : line.slice(start.length, -DASHES.length)
}

function fromBase64(lines: readonly string[], from: number, to: number): Buffer | undefined {
  // Looked at line by line first: joining a long text for every BEGIN line of a hostile one would be quadratic.
  for (let at = from; at < to; at++) if (lines[at]?.startsWith(DASHES)) return undefined
  const text = lines.slice(from, to).join('\n')
  if (!BASE64.test(text)) return undefined
  const letters = text.replaceAll(/\s/g, '')
  return letters.length % 4 === 0 ? Buffer.from(letters, 'base64') : undefined
}
