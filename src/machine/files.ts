// Files by Windows path. Transient locks (Defender, the indexer) are waited for inside the real implementation.

export type FileKind = 'directory' | 'file' | 'link' | 'other'

export interface FileStatus {
  /** The name that a link leads to, where that is in its own folder. */
  readonly beside?: string
  readonly kind: FileKind
  /** How many names a file has (hard links), where it has more than one. */
  readonly links?: number
  readonly modifiedMs: number
  readonly size: number
}

export type DigestAlgorithm = 'sha256' | 'sha512'

export interface WriteOptions {
  /** SDDL the file has before its first byte is written. Without it the folder's entries are inherited. */
  readonly sddl?: string
}

export interface AppendOptions {
  /** Resolves only when the text, and every file and folder that was made, renamed or removed before, outlives a power loss. */
  readonly flush?: boolean
}

export interface DirectoryOptions {
  /** SDDL that every folder made by the call has from the first. Without it the parent's entries are inherited. */
  readonly security?: string
}

/** A piece of a file, and which file it is of: a name may stand for another file the next time it is asked. */
export interface FileRange {
  readonly bytes: Uint8Array
  /** The same for as long as the file exists, whatever it is called; another one for every other file there is. */
  readonly identity: string
  /** The size of the whole file. */
  readonly size: number
}

export interface Files {
  /** Appends in one write, making the file (not its folder) if there is none. */
  append(path: string, text: string, options?: AppendOptions): Promise<void>
  /** Lower-case hex. */
  digest(path: string, algorithm: DigestAlgorithm): Promise<string>
  /** Names in a folder, sorted; empty where there is no such folder. */
  list(path: string): Promise<string[]>
  /** Makes the folder and its parents; nothing happens where it exists, to its security neither. */
  makeDirectory(path: string, options?: DirectoryOptions): Promise<void>
  /** Undefined where there is no such file. */
  read(path: string): Promise<Buffer | undefined>
  /** The file's bytes in order. Rejects on the first read where there is no such file. */
  readChunks(path: string): AsyncIterable<Uint8Array>
  /** At most `length` bytes from `start` on, fewer only at the end. Undefined where there is no such file. */
  readRange(path: string, start: number, length: number): Promise<FileRange | undefined>
  /** Removes a file or a whole folder; nothing happens where there is none. Links are removed, never followed. */
  remove(path: string): Promise<void>
  /** Removes a folder if nothing is in it, in one step. False where something is, or where there is no folder; a link is none. */
  removeEmpty(path: string): Promise<boolean>
  /** Replaces what is at `to`. */
  rename(from: string, to: string): Promise<void>
  /** Undefined where there is nothing. Links, junctions and mount points are reported as links. */
  status(path: string): Promise<FileStatus | undefined>
  /**
   * Atomic: readers see the old content or the new, also after a power loss, which may bring the old one back. The folder
   * must exist.
   */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): Promise<void>
  /** As `write`, for content that does not fit in memory. Resolves with the number of bytes. */
  writeChunks(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number>
}

/** What a Files call rejects with when the system refuses: `code` is Node's (EACCES, EBUSY, ENOSPC, ENOTDIR, …). */
export class FileError extends Error {
  constructor(
    readonly operation: string,
    readonly path: string,
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(`cannot ${operation} ${path}: ${code}`, options)
    this.name = 'FileError'
  }
}
