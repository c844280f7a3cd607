// Describes changes of files: the final difference, with a diff of texts.
import type {FileView, RecordedChange} from './record.js'

type FileChange = Extract<RecordedChange, {kind: 'file'}>

const SECRET = /PRIVATE KEY|client-key-data|client-certificate-data|^[^\S\n]*(?:- )?(?:token|password)[^\S\n]*:/m
const LONGEST_DIFF = 400
/** k8s-win's files are far shorter; a diff of a large one would need too much memory and time. */
const LONGEST_TEXT = 200_000

/** A path that did not change, or existed only in between, is not shown. */
export function fileLines(changes: readonly FileChange[]): string[] {
  const [first, last] = [changes[0], changes.at(-1)]
  if (!first || !last || isSame(first.before, last.after)) return []
  const {path} = last
  if (last.after.kind === 'nothing') return [`remove ${path}`]
  if (last.after.kind === 'folder') return [`create the folder ${path}`]
  const verb = first.before.kind === 'nothing' ? 'write' : 'replace'
  const [before, after] = [textOf(first.before), textOf(last.after)]
  if (changes.some(({secret}) => secret) || isSecret(before) || isSecret(after)) {
    return [`${verb} ${path} (contents not shown)`]
  }

  if (before === undefined || after === undefined) return [`${verb} ${path}`]
  const diff = unifiedDiff(before, after)
  const shown = diff.length > LONGEST_DIFF ? [...diff.slice(0, LONGEST_DIFF), `(${diff.length} lines in all)`] : diff
  return [[`${verb} ${path}`, ...shown].join('\n')]
}

const isSecret = (text: string | undefined): boolean => text !== undefined && SECRET.test(text)

function isSame(a: FileView, b: FileView): boolean {
  if (a.kind !== 'file' || b.kind !== 'file') return a.kind === b.kind
  return a.content !== undefined && b.content !== undefined && a.content.equals(b.content)
}

/** Empty where there is nothing; undefined for what is no text. */
function textOf(view: FileView): string | undefined {
  if (view.kind === 'nothing') return ''
  if (view.kind === 'folder' || view.content === undefined) return undefined
  if (view.content.length > LONGEST_TEXT) return undefined
  const isProgram = view.content.subarray(0, 2).toString('latin1') === 'MZ'
  return isProgram || view.content.includes(0) ? undefined : view.content.toString('utf8')
}

const CONTEXT = 3

interface Line {
  readonly mark: ' ' | '+' | '-'
  readonly text: string
}

/** Hunks with three lines around each change; nothing where both are the same. */
export function unifiedDiff(before: string, after: string): string[] {
  const lines = compare(linesOf(before), linesOf(after))
  const changed = lines.flatMap(({mark}, index) => (mark === ' ' ? [] : [index]))
  const hunks: {end: number; start: number}[] = []
  for (const index of changed) {
    const [start, end] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)]
    const last = hunks.at(-1)
    if (last && start <= last.end) last.end = end
    else hunks.push({end, start})
  }

  return hunks.flatMap(({end, start}) => [
    header(lines, start, end),
    ...lines.slice(start, end).map(({mark, text}) => `${mark}${text}`),
  ])
}

function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Files of k8s-win have some dozens of lines; a file in their place may have any number. */
const LARGEST_TABLE = 1_000_000

/** The longest common part stays, by the table of all beginnings. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > LARGEST_TABLE) {
    const marked = (mark: '+' | '-', lines: readonly string[]): Line[] => lines.map((text) => ({mark, text}))
    return [...marked('-', before), ...marked('+', after)]
  }
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }

  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({mark: ' ', text: before[i] ?? ''})
      i++
      j++
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({mark: '-', text: before[i++] ?? ''})
    } else lines.push({mark: '+', text: after[j++] ?? ''})
  }

  return lines
}

/** `@@ -1,3 +1,4 @@`: a side without lines has the number of the line before it, as in diff. */
function header(lines: readonly Line[], start: number, end: number): string {
  const count = (part: readonly Line[], other: '+' | '-'): number => part.filter(({mark}) => mark !== other).length
  const range = (other: '+' | '-'): string => {
    const length = count(lines.slice(start, end), other)
    const first = count(lines.slice(0, start), other) + (length === 0 ? 0 : 1)
    return length === 1 ? String(first) : `${first},${length}`
  }
  return `@@ -${range('+')} +${range('-')} @@`
}
