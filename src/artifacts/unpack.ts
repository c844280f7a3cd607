// Taking exactly the wanted members out of an archive; whatever else is in it is never written.
import {once} from 'node:events'
import {Parser, type ReadEntry} from 'tar'
import {badArchive} from '../errors/bytes.js'
import type {Files} from '../machine/files.js'

const LARGEST_MEMBER = 1024 ** 3

/** `targets`: name in the archive → path to write. Throws where one is missing, doubled, or not a plain file. */
export async function unpackMembers(
  files: Files,
  archive: string,
  targets: ReadonlyMap<string, string>,
): Promise<void> {
  const written = new Set<string>()
  const writes: Promise<unknown>[] = []
  // What fails must end every wait for the archive, whenever its member came: nothing else would.
  let fail = (_error: unknown): void => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const refuse = (reason: string): never => {
    throw badArchive({archive, reason})
  }

  const take = (entry: ReadEntry): void => {
    const name = entry.path.replace(/^\.\//, '')
    const target = targets.get(name)
    if (target === undefined) {
      entry.resume()
      return
    }

    if (entry.type !== 'File' && entry.type !== 'OldFile') refuse(`${name} in it is a ${entry.type}, not a file.`)
    if (written.has(name)) refuse(`It holds ${name} twice.`)
    if (entry.size > LARGEST_MEMBER) refuse(`${name} in it has ${entry.size} bytes.`)
    written.add(name)
    const write = files.writeChunks(target, unlessFailed(entry as AsyncIterable<Buffer>, failed)).then((bytes) => {
      // Who writes less has stopped to read, and the rest of the archive would wait for him.
      if (bytes !== entry.size) refuse(`Of ${name} in it only ${bytes} of ${entry.size} bytes could be written.`)
    })
    write.catch(fail)
    writes.push(write)
  }

  const parser = new Parser({onReadEntry: take, strict: true})
  try {
    const ended = once(parser, 'end')
    ended.catch(fail)
    for await (const chunk of files.readChunks(archive)) {
      if (!parser.write(Buffer.from(chunk))) await Promise.race([once(parser, 'drain'), failed])
    }

    parser.end()
    await Promise.race([ended, failed])
    await Promise.all(writes)
  } catch (error) {
    fail(error)
    await Promise.allSettled(writes)
    if (isTarError(error)) refuse(`It cannot be unpacked: ${error.message}.`)
    throw error
  }

  const absent = [...targets.keys()].filter((name) => !written.has(name))
  if (absent.length > 0) refuse(`It does not hold ${absent.join(', ')}.`)
}

/** A member that is cut off has no end of its own: whoever writes it would wait for ever. */
async function* unlessFailed(chunks: AsyncIterable<Buffer>, failed: Promise<never>): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([iterator.next(), failed])
    if (next.done) return
    yield next.value
  }
}

function isTarError(error: unknown): error is Error {
  const code = (error as {code?: unknown; tarCode?: unknown} | undefined) ?? {}
  return (
    error instanceof Error &&
    (String(code.tarCode).startsWith('TAR_') ||
      String(code.code).startsWith('TAR_') ||
      String(code.code).startsWith('Z_'))
  )
}
