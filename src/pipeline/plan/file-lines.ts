// Changes of files as people read them: what is other in the end, with a diff where it is text.
import type {FileView, RecordedChange} from './record.js'
import {unifiedDiff} from './unified-diff.js'

type FileChange = Extract<RecordedChange, {kind: 'file'}>

const SECRET = /PRIVATE KEY|client-key-data|client-certificate-data|^[^\S\n]*(?:- )?(?:token|password)[^\S\n]*:/m
const LONGEST_DIFF = 400
/** Ours are far shorter; a diff with what somebody else put in their place would take as much memory as time. */
const LONGEST_TEXT = 200_000

/** A path that is as it was, or was there only in between, is not told. */
export function fileLines(changes: readonly FileChange[]): string[] {
  const [first, last] = [changes[0], changes.at(-1)]
  if (!first || !last || isSame(first.before, last.after)) return []
  const {path} = last
  if (last.after.kind === 'nothing') return [`remove ${path}`]
  if (last.after.kind === 'folder') return [`make the folder ${path}`]
  const verb = first.before.kind === 'nothing' ? 'write' : 'replace'
  const [before, after] = [textOf(first.before), textOf(last.after)]
  if (changes.some(({secret}) => secret) || isSecret(before) || isSecret(after)) {
    return [`${verb} ${path} (what is in it is not shown)`]
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
