// Container logs without a terminal come in frames: one byte stream, three zeros, four bytes length, then the text.

export function readContainerOutput(body: Buffer): string {
  let text = ''
  let offset = 0
  while (offset + 8 <= body.length) {
    const length = body.readUInt32BE(offset + 4)
    text += body.toString('utf8', offset + 8, offset + 8 + length)
    offset += 8 + length
  }

  return text.trim()
}
