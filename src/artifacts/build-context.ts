// A Docker build context: a tar of a few small files, the same bytes each time.
import {Header} from 'tar'

const BLOCK = 512

export function buildContext(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text, 'utf8')
    const header = Buffer.alloc(BLOCK)
    new Header({mode: 0o644, mtime: new Date(0), path, size: content.length, type: 'File'}).encode(header)
    return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}
