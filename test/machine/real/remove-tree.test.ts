import {chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {FileError} from '../../../src/machine/files.js'
import {openFiles} from '../../../src/machine/real/files.js'
import {scratchFolder} from './scratch.js'
import {steadyClock} from './steady-clock.js'

const notCreated = async (): Promise<never> => {
  throw new Error('not expected in these tests')
}

function opened() {
  const clock = steadyClock()
  const isReparsePoint = async (path: string) => path.endsWith('mount point')
  return {clock, files: openFiles({clock, secured: {createFile: notCreated, createFolder: notCreated, isReparsePoint}})}
}

/** A folder with a file in it, beside the folder to be removed. */
async function keptAndRemoved() {
  const folder = await scratchFolder()
  const [kept, removed] = [join(folder, 'kept'), join(folder, 'removed')]
  await mkdir(kept)
  await mkdir(removed)
  await writeFile(join(kept, 'f'), 'x')
  return {folder, kept, removed}
}

describe('removing a folder', () => {
  it('removes a nested tree with read-only files, empty folders and names that are not valid Unicode', async () => {
    const {folder, removed} = await keptAndRemoved()
    const deep = join(removed, ...Array.from({length: 30}, (_, level) => `level ${level}`))
    await mkdir(deep, {recursive: true})
    await mkdir(join(removed, 'empty'))
    for (const file of [join(deep, 'read-only'), join(removed, 'read-only')]) {
      await writeFile(file, 'x')
      await chmod(file, 0o444)
    }
    const invalid = Buffer.concat([Buffer.from(join(removed, 'name ')), Buffer.from([0xff])])
    await writeFile(invalid, 'x')
    await opened().files.remove(removed)
    expect(await readdir(folder)).toEqual(['kept'])
  })

  it('removes links at any depth, and keeps their targets', async () => {
    const {folder, kept, removed} = await keptAndRemoved()
    await mkdir(join(removed, 'sub'))
    await symlink(kept, join(removed, 'sub', 'folder'))
    await symlink(join(kept, 'f'), join(removed, 'sub', 'file'))
    await symlink(join(kept, 'none'), join(removed, 'dangling'))
    await symlink(removed, join(removed, 'loop'))
    await opened().files.remove(removed)
    expect(await readdir(folder)).toEqual(['kept'])
    expect(await readdir(kept)).toEqual(['f'])
  })

  it('keeps the target of a link that cannot be removed', async () => {
    const {kept, removed} = await keptAndRemoved()
    await symlink(kept, join(removed, 'link'))
    // Removing entries of this folder is refused, except for root, for whom the link is removed.
    await chmod(removed, 0o555)
    const removal = opened().files.remove(removed)
    await (process.getuid?.() === 0
      ? removal
      : expect(removal).rejects.toEqual(new FileError('remove', removed, 'EACCES')))
    expect(await readdir(kept)).toEqual(['f'])
    if (process.getuid?.() !== 0) await chmod(removed, 0o755)
  })

  it('keeps what is behind a mount point that cannot be removed, removes the rest and reports the refusal', async () => {
    const {removed} = await keptAndRemoved()
    const mountPoint = join(removed, 'mount point')
    await mkdir(mountPoint)
    await writeFile(join(mountPoint, 'behind'), 'x')
    for (const name of ['a', 'z']) await writeFile(join(removed, name), 'x')
    const {files} = opened()
    await expect(files.remove(removed)).rejects.toEqual(new FileError('remove', removed, 'ENOTEMPTY'))
    await expect(files.remove(mountPoint)).rejects.toEqual(new FileError('remove', mountPoint, 'ENOTEMPTY'))
    expect(await readdir(removed)).toEqual(['mount point'])
    expect(await readdir(mountPoint)).toEqual(['behind'])
  })

  it('removes a mount point that can be removed', async () => {
    const {removed} = await keptAndRemoved()
    await mkdir(join(removed, 'mount point'))
    await opened().files.remove(removed)
    await expect(stat(removed)).rejects.toMatchObject({code: 'ENOENT'})
  })

  it('treats a folder whose name is not valid Unicode as a link', async () => {
    const {removed} = await keptAndRemoved()
    const invalid = Buffer.concat([Buffer.from(join(removed, 'name ')), Buffer.from([0xff])])
    await mkdir(invalid)
    await writeFile(Buffer.concat([invalid, Buffer.from('/behind')]), 'x')
    await expect(opened().files.remove(removed)).rejects.toMatchObject({code: 'ENOTEMPTY', operation: 'remove'})
    expect(await readdir(invalid)).toEqual(['behind'])
  })
})

describe('removing a file', () => {
  it('keeps the content and the mode under its other name', async () => {
    const {kept, removed} = await keptAndRemoved()
    await chmod(join(kept, 'f'), 0o444)
    await link(join(kept, 'f'), join(removed, 'hard link'))
    await opened().files.remove(removed)
    expect(await readFile(join(kept, 'f'), 'utf8')).toBe('x')
    expect((await stat(join(kept, 'f'))).mode & 0o777).toBe(0o444)
  })

  it('that is not there changes nothing and does not wait', async () => {
    const {folder} = await keptAndRemoved()
    const {clock, files} = opened()
    await files.remove(join(folder, 'none'))
    await files.remove(join(folder, 'none', 'deeper'))
    expect(clock.slept).toEqual([])
    expect(await readdir(folder)).toEqual(['kept', 'removed'])
  })

  it('below a file is refused', async () => {
    const {kept} = await keptAndRemoved()
    const below = join(kept, 'f', 'g')
    await expect(opened().files.remove(below)).rejects.toEqual(new FileError('remove', below, 'ENOTDIR'))
  })
})
