// Where recorders put what they hear: files beside the index, with this machine's names and all secrets taken out.
import {mkdir, readFile, rm, writeFile} from 'node:fs/promises'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {format, resolveConfig} from 'prettier'
import type {Corpus, Part, Recording} from './corpus.js'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

export interface Replacement {
  readonly by: string
  readonly pattern: RegExp
  /** For the index: "what: by what". */
  readonly told: string
}

export interface Heard extends Pick<Recording, 'asked'> {
  readonly encoding?: Recording['encoding']
  readonly exitCode?: number
  readonly language?: string
  /** Within the group. */
  readonly name: string
  readonly parts: Partial<Record<Part, Uint8Array>>
}

export interface Group {
  readonly name: string
  readonly program: string
  readonly replacements: readonly Replacement[]
  readonly source: string
}

/** Replaces all recordings of the group by these. */
export async function saveGroup({name: group, program, replacements, source}: Group, heard: Heard[]): Promise<void> {
  const names = heard.map(({name}) => name)
  if (new Set(names).size !== names.length) throw new Error(`${group}: a name was given twice: ${names.join(' ')}`)
  await rm(path.join(ROOT, group), {force: true, recursive: true})
  const clean = (text: string): string =>
    replacements.reduce((before, {by, pattern}) => before.replaceAll(pattern, by), text)
  const recordings: Recording[] = []
  for (const {asked, encoding = 'utf-8', exitCode, language = 'en', name, parts} of heard) {
    const id = `${group}/${name}`
    const there = Object.entries(parts).filter(([part, bytes]) => bytes.length > 0 || part === 'http')
    await mkdir(path.dirname(path.join(ROOT, id)), {recursive: true})
    for (const [part, bytes] of there) {
      // Letter by letter, so that bytes of any encoding stay what they are.
      const text = clean(Buffer.from(bytes).toString('latin1'))
      await writeFile(path.join(ROOT, `${id}.${part}`), Buffer.from(text, 'latin1'))
    }

    recordings.push({
      id,
      program,
      source,
      asked: clean(asked),
      ...(exitCode === undefined ? {} : {exitCode}),
      language,
      encoding,
      parts: there.map(([part]) => part as Part),
      again: group,
    })
  }

  await saveIndex(group, {normalised: {[group]: replacements.map(({told}) => told)}, recordings})
}

async function saveIndex(group: string, added: Corpus): Promise<void> {
  const file = path.join(ROOT, 'index.json')
  const before = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Corpus,
    () => ({normalised: {}, recordings: []}),
  )
  const others = before.recordings.filter(({id}) => !id.startsWith(`${group}/`))
  const recordings = [...others, ...added.recordings].sort((a, b) => (a.id < b.id ? -1 : 1))
  const normalised = Object.entries({...before.normalised, ...added.normalised}).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify({normalised: Object.fromEntries(normalised), recordings}, undefined, 2)
  await writeFile(file, await format(text, {...(await resolveConfig(file)), parser: 'json'}))
}
