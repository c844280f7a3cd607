import {chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {FileError} from '../../../src/machine/files.js'
import {openFiles} from '../../../src/machine/real/files.js'
import {scratchFolder} from './scratch.js'
import {steadyClock} from './steady-clock.js'

function opened() {
  const clock = steadyClock()
  return {clock, files: openFiles({clock})}
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

  it('removes what it can beside something that cannot be removed, and reports that', async () => {
    const {removed} = await keptAndRemoved()
    for (const name of ['a', 'locked', 'z']) await mkdir(join(removed, name))
    await writeFile(join(removed, 'locked', 'f'), 'x')
    await chmod(join(removed, 'locked'), 0o555)
    const removal = opened().files.remove(removed)
    // Nothing is refused to root.
    if (process.getuid?.() === 0) return removal
    await expect(removal).rejects.toEqual(new FileError('remove', removed, 'EACCES'))
    expect(await readdir(removed)).toEqual(['locked'])
    await chmod(join(removed, 'locked'), 0o755)
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

describe('review S2-13: removing a folder that is empty', () => {
  it('keeps one that is not, a file and a link', async () => {
    const {folder, kept, removed} = await keptAndRemoved()
    const {clock, files} = opened()
    await symlink(removed, join(folder, 'link'))
    for (const path of [kept, join(kept, 'f'), join(folder, 'link'), join(folder, 'none'), join(kept, 'f', 'g')])
      expect(await files.removeEmpty(path)).toBe(false)
    expect(await files.removeEmpty(removed)).toBe(true)
    expect(await readdir(folder)).toEqual(['kept', 'link'])
    expect(await readdir(kept)).toEqual(['f'])
    expect(clock.slept).toEqual([])
  })
})

it('goes by handles where Windows has them', async () => {
  const asked: string[] = []
  const removal = {
    remove: async (path: string) => void asked.push(`remove ${path}`),
    removeEmpty: async (path: string) => asked.push(`removeEmpty ${path}`) > 0,
  }
  const files = openFiles({clock: steadyClock(), removal})
  await files.remove('a')
  expect(await files.removeEmpty('b')).toBe(true)
  expect(asked).toEqual(['remove a', 'removeEmpty b'])
})
