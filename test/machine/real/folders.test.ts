import {mkdir, readdir, stat, symlink, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {FileError} from '../../../src/machine/files.js'
import {openRealMachine} from '../../../src/machine/real/index.js'
import {scratchFolder} from './scratch.js'

const {files} = openRealMachine()

describe('folders', () => {
  it('are made with their parents, once and again', async () => {
    const deep = join(await scratchFolder(), 'a', 'b', 'c')
    await files.makeDirectory(deep)
    await files.makeDirectory(deep)
    expect((await stat(deep)).isDirectory()).toBe(true)
  })

  it('are removed whole, and links in them never followed', async () => {
    const folder = await scratchFolder()
    const [kept, removed] = [join(folder, 'kept'), join(folder, 'removed')]
    await mkdir(kept)
    await writeFile(join(kept, 'f'), 'x')
    await mkdir(join(removed, 'sub'), {recursive: true})
    await symlink(kept, join(removed, 'link'))
    await symlink(kept, join(folder, 'direct'))
    await files.remove(removed)
    await files.remove(join(folder, 'direct'))
    await files.remove(join(folder, 'never-there'))
    expect(await readdir(folder)).toEqual(['kept'])
    expect(await readdir(kept)).toEqual(['f'])
  })

  it('and files replace what is in their way', async () => {
    const folder = await scratchFolder()
    const [from, to] = [join(folder, 'from'), join(folder, 'to')]
    for (const [make, take] of [
      ['directory', 'directory'],
      ['file', 'directory'],
      ['directory', 'file'],
      ['file', 'file'],
    ] as const) {
      const source = make === 'file' ? from : join(from, 'x')
      if (make === 'directory') await mkdir(from)
      await writeFile(source, 'new')
      if (take === 'directory') await mkdir(to)
      await writeFile(take === 'file' ? to : join(to, 'y'), 'old')
      await files.rename(from, to)
      expect((await files.status(to))?.kind).toBe(make)
      expect(await files.status(from)).toBeUndefined()
      await files.remove(to)
    }
  })

  it('a rename of nothing leaves the target', async () => {
    const folder = await scratchFolder()
    await mkdir(join(folder, 'to'))
    const from = join(folder, 'none')
    await expect(files.rename(from, join(folder, 'to'))).rejects.toEqual(new FileError('rename', from, 'ENOENT'))
    expect(await readdir(folder)).toEqual(['to'])
  })
})
