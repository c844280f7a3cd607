// Taking exactly the wanted members out of an archive; whatever else is in it is never written.
import {createHash, type Hash} from 'node:crypto'
import {once} from 'node:events'
import {pipeline, Readable} from 'node:stream'
import {createGunzip, gunzipSync} from 'node:zlib'
import type {ReadEntry} from 'tar'
import {badArchive} from '../errors/downloads-and-images.js'
import type {Files} from '../machine/files.js'

const LARGEST_MEMBER = 1024 ** 3
/** What gunzip hands over at a time: its default of 16 KiB costs more to pass on than to unpack. */
const PIECE = 128 * 1024

/**
 * `targets`: name in the archive → path to write. Resolves with the sha256 of the bytes of each path. Throws where a member
 * is missing, doubled, or not a plain file.
 */
export async function unpackMembers(
  files: Files,
  archive: string,
  targets: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  // In the order of the targets, whatever the archive's is.
  const digests = new Map([...targets.values()].map((target) => [target, '']))
  const members = new Map<string, {readonly entry: ReadEntry; readonly write: Promise<void>}>()
  let failure: {readonly error: unknown} | undefined
  // Ends every wait: for the parser, and for the rest of a member that will not come.
  const fail = (error: unknown): void => {
    if (failure) return
    failure = {error}
    for (const {entry} of members.values()) entry.destroy(error)
    parser.emit('error', error)
  }

  const refuse = (reason: string): never => {
    throw badArchive({archive, reason})
  }

  const save = async (entry: ReadEntry, name: string, target: string): Promise<void> => {
    const hash = createHash('sha256')
    const bytes = await files.writeChunks(target, hashed(entry as AsyncIterable<Buffer>, hash))
    // A writer that writes less has stopped reading, and the rest of the archive would wait for it.
    if (bytes !== entry.size) refuse(`Of ${name} in it only ${bytes} of ${entry.size} bytes could be written.`)
    digests.set(target, hash.digest('hex'))
  }

  const take = (entry: ReadEntry): void => {
    const name = entry.path.replace(/^\.\//, '')
    const target = targets.get(name)
    if (target === undefined) {
      entry.resume()
      return
    }

    if (entry.type !== 'File' && entry.type !== 'OldFile') refuse(`${name} in it is a ${entry.type}, not a file.`)
    if (members.has(name)) refuse(`It holds ${name} twice.`)
    if (entry.size > LARGEST_MEMBER) refuse(`${name} in it has ${entry.size} bytes.`)
    // An error without a listener would end the program.
    entry.on('error', () => {})
    const write = save(entry, name, target)
    write.catch(fail)
    members.set(name, {entry, write})
  }

  const writes = () => [...members.values()].map(({write}) => write)
  const {Parser} = await loadUnpacker()
  const parser = new Parser({onReadEntry: take, strict: true})
  parser.on('error', fail)
  try {
    const ended = once(parser, 'end')
    ended.catch(() => {})
    for await (const chunk of unzipped(files.readChunks(archive))) {
      if (failure) throw failure.error
      if (!parser.write(chunk)) await once(parser, 'drain')
    }

    parser.end()
    await ended
    await Promise.all(writes())
  } catch (error) {
    fail(error)
    await Promise.allSettled(writes())
    if (isTarError(error)) refuse(`It cannot be unpacked: ${error.message}.`)
    throw error
  }

  const absent = [...targets.keys()].filter((name) => !members.has(name))
  if (absent.length > 0) refuse(`It does not hold ${absent.join(', ')}.`)
  return digests
}

/** Not loaded with the program: most commands unpack nothing. Setup loads it before its steps begin. */
let unpacker: Promise<typeof import('tar')> | undefined
export const loadUnpacker = () => (unpacker ??= import('tar'))

/** Node's threads unpack while this one hands on; the parser would do it here, a whole piece at once. */
async function* unzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]()
  const [first, second] = [await iterator.next(), await iterator.next()]
  const all = (async function* () {
    for (const {done, value} of [first, second]) if (!done) yield Buffer.from(value)
    for await (const chunk of {[Symbol.asyncIterator]: () => iterator}) yield Buffer.from(chunk)
  })()
  if (first.done || first.value[0] !== 0x1f || first.value[1] !== 0x8b) yield* all
  // One piece is not worth a thread.
  else if (second.done) yield gunzipSync(first.value, {maxOutputLength: LARGEST_MEMBER})
  // Its errors come out of the unpacked stream.
  else yield* pipeline(Readable.from(all), createGunzip({chunkSize: PIECE}), () => {}) as AsyncIterable<Buffer>
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

/** Codes of the tar package and of zlib. */
function isTarError(error: unknown): error is Error {
  return error instanceof Error && /^(?:TAR|Z)_/.test(String((error as {code?: unknown}).code))
}
