// The corpus itself: large enough, every entry sourced, every file listed and readable in its encoding, nothing private.
import {readdirSync, readFileSync} from 'node:fs'
import {hostname, userInfo} from 'node:os'
import {describe, expect, it} from 'vitest'
import {decodeOutput} from '../../src/machine/real/decode.js'
import {bytesOf, CODE_PAGES, filesOfCorpus, NORMALISED, RECORDINGS, textOf} from './corpus.js'

it('has far more than 120 recordings, in four languages and their encodings', () => {
  const questions = new Set(RECORDINGS.map(({asked, language}) => `${language} ${asked}`))
  expect(questions.size).toBeGreaterThanOrEqual(120)
  expect(new Set(RECORDINGS.map(({id}) => id)).size).toBe(RECORDINGS.length)
  expect(new Set(RECORDINGS.map(({language}) => language))).toEqual(new Set(['de', 'en', 'ja', 'zh-CN']))
  expect(new Set(RECORDINGS.map(({encoding}) => encoding))).toEqual(new Set(Object.keys(CODE_PAGES)))
})

it('lists every file, and every listed file is there', () => {
  const listed = RECORDINGS.flatMap(({id, parts}) => parts.map((part) => `${id}.${part}`))
  expect(listed.sort()).toEqual(filesOfCorpus())
})

it('says of every group what was replaced in it', () => {
  expect(Object.keys(NORMALISED).sort()).toEqual([...new Set(RECORDINGS.map(({again}) => again))].sort())
})

it('is bound: of every group a test sees each change', () => {
  const folder = new URL('.', import.meta.url)
  const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))
  const calls = tests.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^everyChangeIsSeen\(\[(.*?)\]/gm),
  ])
  const bound = calls.flatMap(([, groups = '']) => groups.split(', ').map((group) => group.slice(1, -1)))
  expect(bound.sort()).toEqual([...new Set(RECORDINGS.map(({again}) => again))].sort())
})

describe.each(RECORDINGS)('$id', (entry) => {
  it('says what it is, where it comes from and how it is had again', () => {
    const {again, asked, id, program, source} = entry
    for (const text of [again, asked, program]) expect(text).not.toBe('')
    expect(source).toMatch(/^(?:Debian 1[23], (?:source )?package \S+ \d|npm, package \S+ \d)/)
    expect(id.startsWith(`${again}/`)).toBe(true)
  })

  // Answers over HTTP and logs are read in other ways.
  it('is read by the decoder as it was written', async () => {
    for (const part of entry.parts.filter((one) => one === 'err' || one === 'out')) {
      // json-iterator quotes a single byte of a number that it cannot read.
      if (entry.id === 'kubelet/config-bad-type') continue
      const text = textOf(entry, part)
      const decoded = await decodeOutput(bytesOf(entry, part), async () => CODE_PAGES[entry.encoding])
      expect(decoded).toBe(text)
    }
  })

  it('holds nothing of the machine it was made on, and no secret', () => {
    const all = [entry.asked, ...entry.parts.map((part) => bytesOf(entry, part).toString('latin1'))].join('\n')
    expect(all).not.toMatch(/PRIVATE KEY|eyJ[\w-]{10}|[Aa]uthorization: Bearer/)
    expect(all).not.toMatch(/\/(?:root|home|tmp|work)\/|127\.0\.0\.1:(?!1\b|10249)\d/)
    for (const name of [hostname(), userInfo().homedir]) {
      // Short names are words, too.
      if (name.length > 5) expect(all).not.toContain(name)
    }
  })
})
