// What cannot be handed to another process at all, and would arrive as something else.

/**
 * Windows ends a text at its first zero; half a surrogate pair has no UTF-8, and Node and shawl go through UTF-8; and
 * U+10FFFF, which stands for no letter, ends Node on Windows: libuv's idna.c asserts that all are below it.
 */
export function isPassable(text: string): boolean {
  return !text.includes('\0') && !/[\p{Surrogate}\u{10FFFF}]/u.test(text)
}
