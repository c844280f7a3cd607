// tar archives in memory.
import {Header, Parser, type ReadEntry} from 'tar'

export interface TarEntry {
  readonly content: Buffer
  readonly name: string
}

const BLOCK = 512

/** Always the same bytes for the same entries: without owner and time. */
export function writeTar(entries: readonly TarEntry[], mode = 0o755): Buffer {
  const parts = entries.flatMap(({content, name}) => {
    const head = Buffer.alloc(BLOCK)
    const size = content.length
    new Header({gid: 0, mode, mtime: new Date(0), path: name, size, type: 'File', uid: 0}).encode(head)
    return [head, content, Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

/** Regular files only. Throws on what is not a tar archive, with the text of Go's archive/tar. */
export function readTar(bytes: Buffer): TarEntry[] {
  // The library refuses an empty archive.
  if (bytes.length < BLOCK || bytes[0] === 0) return []
  const entries: TarEntry[] = []
  let isInvalid = false
  const onReadEntry = (entry: ReadEntry): void => {
    const chunks: Buffer[] = []
    entry.on('data', (chunk) => chunks.push(chunk))
    entry.on('end', () => void entries.push({content: Buffer.concat(chunks), name: entry.path}))
  }
  const parser = new Parser({filter: (_, entry) => 'type' in entry && entry.type === 'File', onReadEntry, strict: true})
  parser.on('error', () => void (isInvalid = true))
  parser.end(bytes)
  if (isInvalid) throw new Error('archive/tar: invalid tar header')
  return entries
}
