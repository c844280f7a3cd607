// A file that a user asks for, a bundle or a report: nothing of the user's is overwritten by surprise, and no other user can
// read it.
import {posix, win32} from 'node:path'
import {orGivenUp, within} from '../host/wait.js'
import type {Clock} from '../machine/clock.js'
import {FileError, type Files} from '../machine/files.js'
import type {Machine} from '../machine/machine.js'

/** Where it goes, and whose files these are: the machine's, or with --simulate those of this machine. */
export interface TargetFile {
  readonly files: Files
  /** On a drive of the machine's Windows: then no other user can read it. On a share its server decides who can. */
  readonly onDrive?: boolean
  readonly path: string
}

export interface TargetKind {
  /** The error where it may be replaced, but was not asked to be. */
  readonly exists?: Error | undefined
  /** By the bytes that a file begins with. */
  readonly isOurs: (beginning: Buffer) => boolean
  /** "zip file": only such files are overwritten. */
  readonly name: string
  readonly unusable: (reason: string) => Error
}

const READ_MS = 4000
const BEGINNING_BYTES = 128

/** Before anything is done: no work is done for a name with a typing error, which must not cost a kubeconfig either. */
export async function demandTarget({files, path}: TargetFile, clock: Clock, kind: TargetKind): Promise<void> {
  const {exists, isOurs, name, unusable} = kind
  if (path.trim() === '' || path.includes('\0')) throw unusable('It is not a valid file name.')
  if (/^[a-z]:(?![\\/])/i.test(path))
    throw unusable('Behind the drive it has no backslash. bash removes backslashes: write the path in single quotes.')
  const {dirname} = /^[a-z]:|\\/i.test(path) ? win32 : posix
  const read = async (): Promise<void> => {
    const folder = await files.status(dirname(path))
    if (!folder) throw unusable(`Folder not found: ${dirname(path)}.`)
    if (folder.kind === 'file') throw unusable(`${dirname(path)} is not a folder.`)
    const there = await files.status(path)
    if (there?.kind === 'directory') throw unusable('It is a folder.')
    if (!there) return
    if (there.kind === 'other') throw unusable('It is not a file.')
    const old = await files.readRange(path, 0, BEGINNING_BYTES)
    if (!old && there.kind === 'link') throw unusable('It is a link to a file that does not exist.')
    if (old && old.size > 0 && !isOurs(Buffer.from(old.bytes)))
      throw unusable(`A file with this name exists that is not a ${name}; only ${name}s are overwritten.`)
    if (exists) throw exists
  }
  await within(clock, READ_MS, read()).catch((error: unknown) => {
    throw error instanceof FileError ? unusable(`It cannot be read (${error.code}).`) : error
  })
}

export async function writeTarget(
  {files, onDrive = false, path}: TargetFile,
  machine: Machine,
  content: string | Uint8Array,
): Promise<void> {
  await files.write(path, content, onDrive ? {sddl: await listFor(machine)} : {})
}

/** Administrators and, without their rights, whoever makes it. */
async function listFor({clock, win32: {accountSid, isAdministrator}}: Machine): Promise<string> {
  const account = async (): Promise<string> => ((await isAdministrator()) ? '' : `(A;;FA;;;${await accountSid()})`)
  return `D:P(A;;FA;;;SY)(A;;FA;;;BA)${(await orGivenUp(clock, READ_MS, account())) ?? ''}`
}
