// Archives for tests, made member by member with the tar package, hostile ones included.
import {gzipSync} from 'node:zlib'

import {Header, type HeaderData} from 'tar'

export interface Member {
  readonly content?: string | Buffer
  readonly header?: HeaderData
  readonly path: string
}

const BLOCK = 512

export function tarOf(members: readonly Member[]): Buffer {
  const blocks = members.flatMap(({content = '', header = {}, path}) => {
    const bytes = Buffer.from(content)
    const block = Buffer.alloc(BLOCK)
    new Header({mode: 0o755, mtime: new Date(0), path, size: bytes.length, type: 'File', ...header}).encode(block)
    return [block, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

export const tgzOf = (members: readonly Member[]): Buffer => gzipSync(tarOf(members))
