// Files that people name: kubeconfigs and certificates. Whatever is there in their place must not fill the memory.
import {UnusableFileError} from '../../errors/k8s-win-error.js'
import type {Files} from '../../machine/files.js'

const LARGEST = 1024 ** 2

/** Undefined where there is no such file. Throws an Error that says in a sentence why it cannot be one of these. */
export async function readUserFile(files: Files, path: string, largest = LARGEST): Promise<Buffer | undefined> {
  const status = await files.status(path)
  if (!status) return undefined
  if (status.kind === 'directory') throw new UnusableFileError('it is a folder')
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of files.readChunks(path)) {
    bytes += chunk.length
    if (bytes > largest)
      throw new UnusableFileError(`it has more than ${largest < LARGEST ? `${largest / 1024} KiB` : '1 MiB'}`)
    chunks.push(chunk)
  }

  return Buffer.concat(chunks)
}
