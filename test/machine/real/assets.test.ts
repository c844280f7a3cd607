import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'
import {openAssets, programIn} from '../../../src/machine/real/assets.js'
import {scratchFolder} from './scratch.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

describe('what comes with the package', () => {
  it('has shawl, a 64-bit Windows program', async () => {
    const shawl = await openAssets(root).shawl()
    const header = shawl.readUInt32LE(0x3c)
    expect(shawl.toString('latin1', 0, 2)).toBe('MZ')
    expect(shawl.readUInt16LE(header + 4)).toBe(0x86_64)
  })

  it('knows how it was started', () => {
    expect(openAssets(root).program).toEqual({command: [process.execPath, join(root, 'bin', 'run.js')]})
    const file = String.raw`C:\Users\a\Downloads\k8s-win.exe`
    expect(programIn('/nowhere', file, true)).toEqual({command: [file], file})
  })

  it('has templates by name, and nothing else', async () => {
    const folder = await scratchFolder()
    await mkdir(join(folder, 'templates', 'pause'), {recursive: true})
    await writeFile(join(folder, 'templates', 'pause', 'Dockerfile'), 'FROM x\n')
    await writeFile(join(folder, 'secret'), 's')
    const assets = openAssets(folder)
    expect(await assets.template('pause/Dockerfile')).toBe('FROM x\n')
    await expect(assets.template('../secret')).rejects.toBeInstanceOf(TypeError)
    await expect(assets.template('pause/None')).rejects.toMatchObject({code: 'ENOENT'})
  })
})
