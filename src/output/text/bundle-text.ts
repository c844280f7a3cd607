// What is printed about a support bundle that was written.
import type {Timestamp} from '../../pipeline/run/events.js'
import {bannerLines} from '../screen.js'
import {ascii, printable} from './text-shape.js'

/** The part of the manifest that is printed. */
interface WrittenBundle {
  readonly bytes: number
  readonly manifest: {
    readonly at: string
    readonly baseDir: string
    readonly durationMs: number
    readonly entries: readonly {readonly bytes: number; readonly cut?: string; readonly path: string}[]
    readonly failed: readonly {readonly collector: string; readonly reason: string}[]
    readonly leftOut: readonly {readonly bytes: number; readonly path: string; readonly reason: string}[]
    readonly simulated: boolean
    readonly warnings: readonly string[]
  }
  readonly path: string
}

export interface BundleDocument extends Pick<
  WrittenBundle['manifest'],
  'durationMs' | 'failed' | 'leftOut' | 'simulated' | 'warnings'
> {
  readonly bytes: number
  readonly command: 'logs'
  readonly entries: number
  readonly exitCode: 0
  readonly finishedAt: Timestamp
  readonly outcome: 'done'
  readonly path: string
  readonly schemaVersion: 1
}

export function bundleDocument({bytes, manifest, path}: WrittenBundle): BundleDocument {
  const {at, durationMs, entries, failed, leftOut, simulated, warnings} = manifest
  return {
    bytes,
    command: 'logs',
    durationMs,
    entries: entries.length,
    exitCode: 0,
    failed,
    finishedAt: at,
    leftOut,
    outcome: 'done',
    path,
    schemaVersion: 1,
    simulated,
    warnings,
  }
}

const MOST_NAMED = 10

export function bundleLines({bytes, manifest, path}: WrittenBundle): string[] {
  const {entries, failed, leftOut, simulated, warnings} = manifest
  const cut = entries.filter((entry) => entry.cut !== undefined).length
  const lines = [
    ...bannerLines(simulated),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...few(failed.map(({collector, reason}) => `Warning: ${collector} could not be collected: ${reason}`)),
    ...(cut === 0
      ? []
      : [`${cut} long file${cut === 1 ? ' was' : 's were'} cut; manifest.json in the bundle says where.`]),
    ...(leftOut.length === 0 ? [] : [leftOutText(leftOut.length)]),
    `Wrote ${path} (${sizeText(bytes)}, ${entries.length} files). Read summary.txt in it first.`,
    'Known secrets, and values that look like one, are replaced by ***. Review the bundle before you share it.',
  ]
  return lines.map((line) => ascii(printable(line)))
}

function few(lines: readonly string[]): string[] {
  const more = lines.length - MOST_NAMED
  return more <= 0
    ? [...lines]
    : [...lines.slice(0, MOST_NAMED), `... and ${more} more; summary.txt in the bundle has all.`]
}

const sizeText = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`

const leftOutText = (count: number): string =>
  count === 1
    ? '1 file was left out; manifest.json in the bundle names it.'
    : `${count} files were left out; manifest.json in the bundle names them.`
