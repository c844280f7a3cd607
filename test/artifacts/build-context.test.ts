// A Docker build context, read back with tar.
import {Parser} from 'tar'
import {describe, expect, it} from 'vitest'

import {buildContext} from '../../src/artifacts/build-context.js'

async function read(archive: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const parser = new Parser({
    async onReadEntry(entry) {
      expect(entry.type).toBe('File')
      found[entry.path] = ''
      for await (const chunk of entry) found[entry.path] += chunk.toString()
    },
    strict: true,
  })
  const ended = new Promise((resolve, reject) => void parser.on('end', resolve).on('error', reject))
  parser.end(archive)
  await ended
  await new Promise((resolve) => void setImmediate(resolve))
  return found
}

describe('a build context', () => {
  it.each([
    ['one file', {Dockerfile: 'FROM nanoserver\n'}],
    ['several', {Dockerfile: 'FROM x', 'bin/wincat.txt': 'ä'.repeat(600), empty: ''}],
    ['a file of a whole block', {Dockerfile: 'x'.repeat(512)}],
  ])('of %s is what was put in', async (_, files) => {
    expect(await read(buildContext(files))).toEqual(files)
  })

  it('is the same bytes each time', () => {
    const files = {Dockerfile: 'FROM nanoserver\n'}
    expect(buildContext(files).equals(buildContext(files))).toBe(true)
    expect(buildContext(files).length % 512).toBe(0)
  })
})
