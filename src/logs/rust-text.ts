// Text as Rust's {:?} shows it, which is how shawl writes down what its program prints.

const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|([^]))/g
const NAMED: Readonly<Record<string, string>> = {'0': '\0', n: '\n', r: '\r', t: '\t'}

/** What stood between the quotes. */
export function fromRustText(text: string): string {
  return text.replaceAll(ESCAPE, (whole, code: string | undefined, letter: string | undefined) => {
    if (code === undefined) return NAMED[letter ?? ''] ?? letter ?? whole
    const point = Number.parseInt(code, 16)
    return point <= 0x10_ffff ? String.fromCodePoint(point) : whole
  })
}
