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

/** Adds up the layers. Layers become known one by one, so the total grows in the beginning. */
export class PullTracker {
  readonly #layers = new Map<string, {bytes: number; total: number}>()

  add(line: DockerLine): PullProgress | undefined {
    const {id, progressDetail, status} = line
    if (id === undefined || (status !== 'Downloading' && status !== 'Extracting' && status !== 'Download complete'))
      return undefined
    const layer = this.#layers.get(id) ?? {bytes: 0, total: 0}
    if (status === 'Downloading') {
      // If the registry does not report a layer's size, Docker has -1 or nothing there.
      const {current, total = -1} = progressDetail ?? {}
      // After an interruption Docker downloads the rest only, and reports the size of the rest.
      const before = total > 0 && total < layer.total ? layer.total - total : 0
      // Never backwards: a new pull may first report the end of one that failed before.
      layer.bytes = Math.max(layer.bytes, before + (current ?? 0))
      layer.total = Math.max(layer.total, layer.bytes, total)
    } else {
      layer.bytes = layer.total
    }

    this.#layers.set(id, layer)
    const sum = (key: 'bytes' | 'total'): number =>
      [...this.#layers.values()].reduce((total, entry) => total + entry[key], 0)
    return {bytes: sum('bytes'), extracting: status === 'Extracting', total: sum('total')}
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
