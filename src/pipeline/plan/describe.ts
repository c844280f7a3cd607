// Describes what a step changed: in order, exact, and without intermediate states.
import {fileLines} from './file-lines.js'
import type {RecordedChange} from './record.js'
import {requestLines} from './request-lines.js'
import {callLines, runLines} from './windows-lines.js'

export interface Wording {
  /** Replaces values that only the twin made up with "decided later". */
  readonly decided: (text: string) => string
  /** "sha512:…" of what is downloaded, where it is known. */
  readonly digestOf: (url: string) => string | undefined
}

export function describeChanges(changes: readonly RecordedChange[], {decided, digestOf}: Wording): string[] {
  const files = new Map<string, Extract<RecordedChange, {kind: 'file'}>[]>()
  for (const change of changes)
    if (change.kind === 'file') files.set(change.path, [...(files.get(change.path) ?? []), change])
  const existed = (path: string): boolean => files.get(path)?.[0]?.before.kind === 'file'

  /** What was there before this step, and is kept under another name. */
  const keptAside = new Set(
    changes.flatMap((change) => (change.kind === 'rename' && existed(change.from) ? [change.to] : [])),
  )

  const lines = changes.flatMap((change, index): string[] => {
    switch (change.kind) {
      case 'download':
        return [downloadLine(change, digestOf(change.url))]
      case 'file': {
        const all = files.get(change.path) ?? []
        // Described once, in its final state; where a file is kept aside, the new one is described.
        if (all.at(-1) !== change || keptAside.has(change.path)) return []
        const isGone = changes.slice(index).some((later) => removesFolder(later, change.path))
        return isGone ? [] : fileLines(all)
      }
      case 'rename':
        return existed(change.from) ? [`rename ${change.from} to ${change.to}`] : []
      case 'request':
        return requestLines(
          change,
          changes.slice(0, index).filter((one) => one.kind === 'request'),
        )
      case 'run':
        return runLines(change)
      case 'win32':
        return callLines(change)
    }
  })
  return lines.map(decided)
}

const removesFolder = (change: RecordedChange, path: string): boolean =>
  change.kind === 'file' && change.after.kind === 'nothing' && path.startsWith(`${change.path}\\`)

function downloadLine(
  {bytes, to, url}: Extract<RecordedChange, {kind: 'download'}>,
  digest: string | undefined,
): string {
  const size = bytes === undefined ? '' : ` (${Math.max(1, Math.round(bytes / 1_000_000))} MB)`
  return `download ${url}${size} to ${to}${digest === undefined ? '' : `, to be ${digest}`}`
}
