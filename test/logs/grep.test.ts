// --grep: what is tried on a block of text before it is parsed, and that it changes nothing but the time it takes.
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {isSearchable, type Match} from '../../src/logs/filter.js'
import {readLogs, wholeFiles} from '../../src/logs/read-logs.js'
import {openLogFiles} from '../../src/logs/open-files.js'
import {memoryFiles} from '../fakes/memory-files.js'
import {all, foldersOf, klogFile, klogLine, LOGS, messagesOf, readerOf} from './log-reader.js'

const FOLDERS = foldersOf('flanneld', 'kubelet', 'kubeproxy', 'k8s-win')
const FILE = klogFile('kubelet', '20261115-000000')

function matching(pattern: RegExp): Match & {texts: number[]} {
  const sizes: number[] = []
  const match = (texts: readonly string[]): boolean[] => {
    sizes.push(...texts.map(({length}) => length))
    return texts.map((text) => pattern.test(text))
  }
  return Object.assign(match, {searchable: isSearchable(pattern), texts: sizes})
}

async function grep(contents: Record<string, string>, match: Match, tail?: number): Promise<string[]> {
  const reader = readerOf(memoryFiles(contents))
  const files = await openLogFiles(reader, FOLDERS)
  return messagesOf(await all(readLogs(reader, wholeFiles(files), {...(tail && {tail}), wanted: {grep: match}})))
}

it.each([
  ['no such words', true],
  ['^E.*(?:failed|error): \\d+$', true],
  ['(?<pod>web-[0-9a-f]+)\\b', true],
  ['pod="[^"]+"\\s', true],
  ['(a)\\1', true],
  ['x(?=y)', false],
  ['x(?!y)', false],
  ['(?<=x)y', false],
  ['(?<!x)y', false],
])('%s can be tried on many lines at once: %s', (source, isSo) => {
  expect(isSearchable(new RegExp(source, 'm'))).toBe(isSo)
})

describe('a pattern that is tried on blocks first', () => {
  const entry = fc.record({
    length: fc.constantFrom(0, 40, 3000, 90_000),
    more: fc.constantFrom(0, 0, 0, 2, 6000),
    text: fc.constantFrom('plain', 'plain', 'plain', 'needle', 'needle in a stack'),
  })

  const patterns = fc.constantFrom(
    /^\tat needle|needle \.*$/m,
    /needle[^x]*go:\d+\n\tat/m,
    /needle in\s[^x]*$/m,
    /\Bdle \W*$/m,
  )

  it('finds the same entries, each whole, also at the end only', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, {maxLength: 40}),
        patterns,
        fc.boolean(),
        fc.nat(6),
        async (story, pattern, crlf, tail) => {
          const lines = story.map(({length, more, text}, index) => {
            const stack = `\n\tat ${text === 'plain' ? 'x' : 'needle'}.go:${index}`.repeat(more)
            return klogLine(index, `${text} ${'.'.repeat(length)}${stack}`)
          })
          const content = {[FILE]: crlf ? lines.join('').replaceAll('\n', '\r\n') : lines.join('')}
          const quick = matching(pattern)
          const whole = Object.assign((texts: readonly string[]) => quick(texts), {searchable: false})
          expect(quick.searchable).toBe(true)
          expect(await grep(content, quick, tail)).toEqual(await grep(content, whole, tail))
        },
      ),
      {numRuns: 40},
    )
  })

  it('finds what is only in the words that are shown', async () => {
    const shawl = '2026-11-15 06:08:14 [DEBUG] stderr: "E1115 06:08:14.000000    1 a.go:1] pod=\\"web\\" failed"\n'
    const own = `2026-11-15T06:00:00.000Z event ${JSON.stringify({command: 'setup', type: 'run-started'})}\n`
    const contents = {
      [`${LOGS}\\flanneld\\shawl_for_flanneld_rCURRENT.log`]: shawl,
      [`${LOGS}\\k8s-win\\setup-1.log`]: own,
    }
    expect(await grep(contents, matching(/pod="web"/m))).toEqual(['pod="web" failed'])
    expect(await grep(contents, matching(/setup begins/m))).toEqual(['setup begins'])
  })

  it('does not see the entries of blocks without a match', async () => {
    const text = Array.from({length: 60_000}, (_, at) => klogLine(at / 10, `number ${at}`)).join('')
    const match = matching(/number 59999$/m)
    expect(await grep({[FILE]: text}, match)).toEqual(['number 59999'])
    expect(match.texts.filter((length) => length < 1000).length).toBeLessThan(10_000)
  })

  it('is tried on each entry where it is too slow for a block', async () => {
    const slow = Object.assign(
      (texts: readonly string[]) => {
        if (texts.some(({length}) => length > 1000)) throw new Error('too slow')
        return texts.map((text) => text.includes('number 7'))
      },
      {searchable: true},
    )
    const text = Array.from({length: 100}, (_, at) => klogLine(at, `number ${at}`)).join('')
    expect(await grep({[FILE]: text}, slow, 1)).toEqual(['number 79'])
  })
})
