// Turns what was collected into the members of the archive: secrets hidden, the size limit kept, everything listed.
import {createHash} from 'node:crypto'
import {parseJson} from '../host/document.js'
import type {Content, Entry, Failure, Hide, LeftOut} from './collector.js'
import type {ZipMember} from './zip.js'

export interface ManifestEntry {
  readonly bytes: number
  /** What was left out of it, in words. */
  readonly cut?: string
  readonly path: string
  readonly sha256: string
}

/** manifest.json in the bundle. */
export interface BundleManifest {
  readonly at: string
  readonly baseDir: string
  readonly durationMs: number
  /** All members but manifest.json itself. */
  readonly entries: readonly ManifestEntry[]
  readonly failed: readonly Failure[]
  readonly leftOut: readonly LeftOut[]
  readonly limitBytes: number
  readonly madeBy: string
  readonly node: 'absent' | 'begun' | 'set-up' | 'unknown'
  readonly schemaVersion: 1
  readonly simulated: boolean
  readonly warnings: readonly string[]
}

export interface Rendered {
  readonly bytes: Buffer
  readonly cut?: string
  readonly path: string
  /** As it goes into the bundle. */
  readonly text: string
}

/** Bytes that are searched for secrets in some tens of milliseconds. */
const PAUSE_AFTER = 256 * 1024

/** Entries beyond the limit are left out, and listed. `pause` lets Ctrl-C come through. */
export async function renderEntries(
  entries: readonly Entry[],
  hide: Hide,
  limitBytes: number,
  pause: () => Promise<void>,
): Promise<{leftOut: readonly LeftOut[]; rendered: readonly Rendered[]}> {
  const rendered: Rendered[] = []
  const leftOut: LeftOut[] = []
  let left = limitBytes
  let unpaused = 0
  for (const {content, cut, path} of unique(entries, hide)) {
    if (unpaused > PAUSE_AFTER) {
      await pause()
      unpaused = 0
    }
    const text = textOf(content, hide)
    const bytes = Buffer.from(text, 'utf8')
    unpaused += bytes.length
    if (bytes.length > left) {
      leftOut.push({bytes: bytes.length, path, reason: 'no space left in the bundle'})
      continue
    }
    left -= bytes.length
    rendered.push({bytes, ...(cut === undefined ? {} : {cut}), path, text})
  }

  return {leftOut, rendered}
}

function textOf(content: Content, hide: Hide): string {
  if ('document' in content) return `${JSON.stringify(hide.document(content.document), undefined, 2)}\n`
  return 'text' in content ? hide.text(content.text) : linesOf(content.lines.split('\n'), hide)
}

/** A line of JSON stays one; other lines are searched together, because a key has many lines. */
function linesOf(lines: readonly string[], hide: Hide): string {
  const safe: string[] = []
  let others: string[] = []
  const flush = (): void => {
    if (others.length > 0) safe.push(hide.text(others.join('\n')))
    others = []
  }
  for (const line of lines) {
    const document = parseJson(line)
    if (document === undefined) others.push(line)
    else {
      flush()
      safe.push(JSON.stringify(hide.document(document)))
    }
  }

  flush()
  return safe.join('\n')
}

/** Names that any system can unpack, each once: on Windows A and a are one file. A file may be named after a secret. */
function unique(entries: readonly Entry[], hide: Hide): Entry[] {
  const taken = new Set<string>()
  return entries.map((entry) => {
    const safe = entry.path
      .split('/')
      .map((part) => hide.text(part))
      .join('/')
    // eslint-disable-next-line no-control-regex
    const plain = safe.replaceAll(/[\u0000-\u001F"*:<>?\\|]/g, '_').replaceAll(/(^|\/)\.+(?=\/|$)/g, '$1_')
    let path = plain
    for (let count = 2; taken.has(path.toLowerCase()); count++) path = `${plain}.${count}`
    taken.add(path.toLowerCase())
    return {...entry, path}
  })
}

/** The summary first, then the manifest, then all other files. */
export function membersOf(
  summary: string,
  rendered: readonly Rendered[],
  manifest: Omit<BundleManifest, 'entries'>,
  hide: Hide,
): {manifest: BundleManifest; members: readonly ZipMember[]} {
  const safe = hide.text(summary)
  const all = [{bytes: Buffer.from(safe, 'utf8'), path: 'summary.txt'}, ...rendered]
  const whole = hide.document({
    ...manifest,
    entries: all.map((one) => ({
      bytes: one.bytes.length,
      ...('cut' in one && one.cut !== undefined ? {cut: one.cut} : {}),
      path: one.path,
      sha256: createHash('sha256').update(one.bytes).digest('hex'),
    })),
  }) as BundleManifest
  const listed = {bytes: Buffer.from(`${JSON.stringify(whole, undefined, 2)}\n`, 'utf8'), path: 'manifest.json'}
  const [first, ...rest] = all.map(({bytes, path}) => ({bytes, path}))
  return {manifest: whole, members: [...(first ? [first] : []), listed, ...rest]}
}
