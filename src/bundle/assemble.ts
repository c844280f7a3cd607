// From what was collected to the members of the archive: secrets hidden, room kept to, everything listed.
import {createHash} from 'node:crypto'
import type {Entry, Failure, LeftOut} from './collector.js'
import {hideInText, type Redact, safeText} from './hide-secrets.js'
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

/** Entries that have no room any more are left out, and told. */
export function renderEntries(
  entries: readonly Entry[],
  redact: Redact,
  limitBytes: number,
): {leftOut: readonly LeftOut[]; rendered: readonly Rendered[]} {
  const rendered: Rendered[] = []
  const leftOut: LeftOut[] = []
  let left = limitBytes
  for (const {content, cut, path} of unique(entries)) {
    const text = safeText(content, redact)
    const bytes = Buffer.from(text, 'utf8')
    if (bytes.length > left) {
      leftOut.push({bytes: bytes.length, path, reason: 'no room left in the bundle'})
      continue
    }
    left -= bytes.length
    rendered.push({bytes, ...(cut === undefined ? {} : {cut}), path, text})
  }

  return {leftOut, rendered}
}

/** Names that any system can unpack, each once: to Windows A and a are one file. */
function unique(entries: readonly Entry[]): Entry[] {
  const taken = new Set<string>()
  return entries.map((entry) => {
    // eslint-disable-next-line no-control-regex
    const plain = entry.path.replaceAll(/[\u0000-\u001F"*:<>?\\|]/g, '_').replaceAll(/(^|\/)\.+(?=\/|$)/g, '$1_')
    let path = plain
    for (let count = 2; taken.has(path.toLowerCase()); count++) path = `${plain}.${count}`
    taken.add(path.toLowerCase())
    return {...entry, path}
  })
}

/** The summary first, then the manifest, then all else. */
export function membersOf(
  summary: string,
  rendered: readonly Rendered[],
  manifest: Omit<BundleManifest, 'entries'>,
  redact: Redact,
): {manifest: BundleManifest; members: readonly ZipMember[]} {
  const safe = hideInText(summary, redact)
  const all = [{bytes: Buffer.from(safe, 'utf8'), path: 'summary.txt'}, ...rendered]
  const whole: BundleManifest = {
    ...manifest,
    entries: all.map((one) => ({
      bytes: one.bytes.length,
      ...('cut' in one && one.cut !== undefined ? {cut: one.cut} : {}),
      path: one.path,
      sha256: createHash('sha256').update(one.bytes).digest('hex'),
    })),
  }
  const listed = {bytes: Buffer.from(safeText({document: whole}, redact), 'utf8'), path: 'manifest.json'}
  const [first, ...rest] = all.map(({bytes, path}) => ({bytes, path}))
  return {manifest: whole, members: [...(first ? [first] : []), listed, ...rest]}
}
