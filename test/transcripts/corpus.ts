// Recorded answers of real programs and interfaces, as index.json lists them.
import {readdirSync, readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {decodeOem} from '../../src/machine/real/decode.js'
import type {HttpResponse} from '../../src/machine/http.js'
import {asChanged, bytesAsChanged, statusAsChanged} from './changes.js'

/** The numbers of the encodings that recordings are in. */
export const CODE_PAGES = {cp437: 437, cp850: 850, cp932: 932, gbk: 936, 'utf-16le': 1200, 'utf-8': 65_001} as const
/** An answer over HTTP (status line, headers, body without transfer encoding), what a program printed, or a log file. */
export type Part = 'err' | 'http' | 'log' | 'out'

export interface Recording {
  /** Arguments after `npx tsx test/transcripts/record.ts` that record it again. */
  readonly again: string
  /** The exact command or request. */
  readonly asked: string
  readonly encoding: keyof typeof CODE_PAGES
  /** Of a program. */
  readonly exitCode?: number
  /** "<group>/<name>"; each part is in a file of that name. */
  readonly id: string
  readonly language: string
  /** Only those that are not empty, and the answer itself. */
  readonly parts: readonly Part[]
  /** With its version. */
  readonly program: string
  /** The public package it came from. */
  readonly source: string
}

export interface Corpus {
  /** By group: what was replaced before saving, and by what. */
  readonly normalised: Readonly<Record<string, readonly string[]>>
  readonly recordings: readonly Recording[]
}

const ROOT = new URL('.', import.meta.url)
export const {normalised: NORMALISED, recordings: RECORDINGS} = JSON.parse(
  readFileSync(new URL('index.json', ROOT), 'utf8'),
) as Corpus

export function recording(id: string): Recording {
  const found = RECORDINGS.find((entry) => entry.id === id)
  if (!found) throw new Error(`there is no recording ${id}`)
  return asChanged(found)
}

export const idsOf = (group: string): string[] =>
  RECORDINGS.map(({id}) => id).filter((id) => id.startsWith(`${group}/`))

export const ofGroup = (group: string): Recording[] => idsOf(group).map((id) => recording(id))

/** Empty where the program printed nothing there. */
export const bytesOf = (entry: Recording, part: Part): Buffer =>
  entry.parts.includes(part)
    ? bytesAsChanged(entry, part, readFileSync(new URL(`${entry.id}.${part}`, ROOT)))
    : Buffer.alloc(0)

export function textOf(entry: Recording, part: Part): string {
  const {encoding} = entry
  const isUnicode = encoding === 'utf-8' || encoding === 'utf-16le'
  const bytes = bytesOf(entry, part)
  return isUnicode ? new TextDecoder(encoding).decode(bytes) : decodeOem(bytes, CODE_PAGES[encoding])
}

/** As the HTTP client gives it: names of headers in small letters. */
export function responseOf(entry: Recording): HttpResponse {
  const bytes = bytesOf(entry, 'http')
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)] as const
  })
  const status = statusAsChanged(entry, Number(first.split(' ')[1]))
  return {body: bytes.subarray(end + 4), headers: Object.fromEntries(headers), status}
}

/** Every file of the corpus, listed or not. */
export function filesOfCorpus(): string[] {
  const groups = new Set(RECORDINGS.map(({id}) => id.split('/')[0] ?? ''))
  const inside = (folder: string): string[] =>
    readdirSync(fileURLToPath(new URL(`${folder}/`, ROOT)), {withFileTypes: true}).flatMap((entry) =>
      entry.isDirectory() ? inside(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
    )
  return [...groups].flatMap(inside).sort()
}
