// Text as Rust's {:?} shows it, which is how shawl writes down what its program prints.

const ESCAPE = /\\(?:u\{[0-9a-fA-F]{1,6}\}|[^])/g
const NAMED: Readonly<Record<string, string>> = {'0': '\0', n: '\n', r: '\r', t: '\t'}

/** What stood between the quotes. */
export function fromRustText(text: string): string {
  return text.replaceAll(ESCAPE, (escape) => {
    if (escape.length === 2) return NAMED[escape.charAt(1)] ?? escape.charAt(1)
    const point = Number.parseInt(escape.slice(3, -1), 16)
    return point <= 0x10_ffff ? String.fromCodePoint(point) : escape
  })
}
