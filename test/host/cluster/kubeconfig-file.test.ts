// Which files of users are read at all.
import {expect, it} from 'vitest'
import {readUserFile} from '../../../src/host/cluster/kubeconfig-file.js'
import type {FileKind} from '../../../src/machine/files.js'

/** What is read where it is opened. */
async function* opened(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('opened')
}

const readAs = (kind: FileKind, path: string) =>
  readUserFile({readChunks: opened, status: async () => ({kind, modifiedMs: 0, size: 0})}, path)

it.each([
  ['other', '/tmp/fifo'],
  ['other', String.raw`C:\fifo`],
  ['directory', '/tmp'],
] as const)('a %s is not opened: %s', async (kind, path) => {
  await expect(readAs(kind, path)).rejects.toMatchObject({name: 'UnusableFileError'})
})

it.each([
  ['link', '/dev/stdin'],
  ['other', '/dev/fd/63'],
  ['file', '/tmp/file'],
] as const)('what a shell opened is read: %s %s', async (kind, path) => {
  expect(String(await readAs(kind, path))).toBe('opened')
})
