// What people's editors and PowerShell's Out-File write: UTF-8 or UTF-16, with a mark or (UTF-8) without.

/** Without its mark. Throws an Error that says what is wrong. */
export function decodeText(content: Uint8Array): string {
  const mark = Buffer.from(content.subarray(0, 2)).toString('hex')
  try {
    const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
    return new TextDecoder(encoding, {fatal: true}).decode(content)
  } catch {
    throw new Error('it is neither UTF-8 nor UTF-16: save it as UTF-8')
  }
}
