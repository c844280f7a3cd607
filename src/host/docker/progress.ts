// A pull reports progress per layer, one JSON line each; users want bytes of the whole.

import {parseJson} from '../document.js'
import type {PullProgress} from '../runtime.js'

const LONGEST_SAID = 200
/** Docker's have some hundred letters. Longer ones are not put together: each piece would be copied again and again. */
const LONGEST_LINE = 1024 ** 2

export interface DockerLine {
  readonly error?: string
  readonly errorDetail?: {readonly message?: string}
  readonly id?: string
  readonly progressDetail?: {readonly current?: number; readonly total?: number}
  readonly status?: string
}

interface Layer {
  downloaded: number
  extracted: number
  isDownloaded: boolean
  /** Undefined until Docker has reported it. */
  total?: number
}

/**
 * Adds up the layers: first what is downloaded of all, then what is extracted of all. Docker announces the layers before
 * their sizes, so the total is not known in the beginning.
 */
export class PullTracker {
  readonly #layers = new Map<string, Layer>()

  add({id, progressDetail, status}: DockerLine): PullProgress | undefined {
    if (id === undefined) return undefined
    const layer = this.#layers.get(id) ?? {downloaded: 0, extracted: 0, isDownloaded: false}
    switch (status) {
      case 'Pulling fs layer':
        this.#layers.set(id, layer)
        return undefined
      case 'Downloading': {
        // If the registry does not report a layer's size, Docker has -1 or nothing there.
        const {current = 0, total = -1} = progressDetail ?? {}
        const known = layer.total ?? 0
        // After an interruption Docker downloads the rest only, and reports the size of the rest.
        const before = total > 0 && total < known ? known - total : 0
        // Never backwards: a new pull may first report the end of one that failed before.
        layer.downloaded = Math.max(layer.downloaded, before + current)
        if (total > 0 || known > 0) layer.total = Math.max(known, layer.downloaded, total)
        break
      }
      case 'Download complete':
      case 'Pull complete':
        layer.total ??= layer.downloaded
        layer.downloaded = layer.total
        layer.isDownloaded = true
        if (status === 'Pull complete') layer.extracted = layer.total
        break
      case 'Extracting':
        layer.total ??= Math.max(layer.downloaded, progressDetail?.total ?? 0)
        layer.isDownloaded = true
        layer.extracted = Math.min(layer.total, Math.max(layer.extracted, progressDetail?.current ?? 0))
        break
      default:
        return undefined
    }

    this.#layers.set(id, layer)
    return this.#sum()
  }

  #sum(): PullProgress {
    const layers = [...this.#layers.values()]
    const sum = (of: (layer: Layer) => number): number => layers.reduce((bytes, layer) => bytes + of(layer), 0)
    const total = layers.every((layer) => layer.total !== undefined) && {total: sum((layer) => layer.total ?? 0)}
    return layers.every(({isDownloaded}) => isDownloaded)
      ? {bytes: sum(({extracted}) => extracted), extracting: true, ...total}
      : {bytes: sum(({downloaded}) => downloaded), extracting: false, ...total}
  }
}

/** The lines of a stream, however the bytes are cut. A last one without its end is one, too; what is no JSON is an error. */
export async function* dockerLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<DockerLine> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, {stream: true})).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield lineOf(line)
    if (rest.length <= LONGEST_LINE) continue
    yield lineOf(rest)
    return
  }

  rest += decoder.decode()
  if (rest.trim() !== '') yield lineOf(rest)
}

function lineOf(text: string): DockerLine {
  const line = parseJson(text)
  if (typeof line === 'object' && line !== null) return line
  return {error: `${text.slice(0, LONGEST_SAID)} (not JSON)`}
}
