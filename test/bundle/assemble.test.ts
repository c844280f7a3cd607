import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {membersOf, renderEntries} from '../../src/bundle/assemble.js'
import type {Entry} from '../../src/bundle/collector.js'

const asIs = {document: (value: unknown) => value, text: (text: string) => text}
const pause = async (): Promise<void> => {}
const entry = (path: string, text: string): Entry => ({content: {text}, path})

describe('the members of a bundle', () => {
  it('have names that any system can unpack, each once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({maxLength: 12, unit: 'grapheme'}), {maxLength: 6}), async (names) => {
        const {rendered} = await renderEntries(
          ['a', 'A', 'a', ...names].map((name) => entry(`logs/${name}`, 'x')),
          asIs,
          1000,
          pause,
        )
        const paths = rendered.map(({path}) => path.toLowerCase())
        expect(new Set(paths).size).toBe(names.length + 3)
        for (const path of paths) {
          // eslint-disable-next-line no-control-regex
          expect(path).not.toMatch(/[\u0000-\u001F"*:<>?\\|]/)
          expect(path.split('/')).not.toContain('..')
        }
      }),
    )
  })

  it('beyond the limit are left out, and those after them that fit are not', async () => {
    const {leftOut, rendered} = await renderEntries(
      [entry('a', 'xxxx'), entry('b', 'x'.repeat(20)), entry('c', 'xx')],
      asIs,
      10,
      pause,
    )
    expect(rendered.map(({path}) => path)).toEqual(['a', 'c'])
    expect(leftOut).toEqual([{bytes: 20, path: 'b', reason: 'no space left in the bundle'}])
  })

  it('begin with the summary and the manifest', async () => {
    const {rendered} = await renderEntries([entry('a', 'x')], asIs, 10, pause)
    const facts = {
      at: '',
      baseDir: '',
      durationMs: 0,
      failed: [],
      leftOut: [],
      limitBytes: 10,
      madeBy: '',
      simulated: true,
      warnings: [],
    }
    const {manifest, members} = membersOf('the summary', rendered, {...facts, node: 'absent', schemaVersion: 1}, asIs)
    expect(members.map(({path}) => path)).toEqual(['summary.txt', 'manifest.json', 'a'])
    expect(manifest.entries.map(({path}) => path)).toEqual(['summary.txt', 'a'])
  })
})
