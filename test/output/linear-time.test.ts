// Outside text is hostile: four times the length must cost at most six times the time, whatever the text is.
import {describe, expect, it} from 'vitest'
import {SIGNATURES} from '../../src/signatures/index.js'
import {sample} from '../sample.js'
import {FEW_PIECES, PIECES, TEXT_FUNCTIONS, VIEWS} from './hostile-text.js'

const SHORT = 50_000
const TIMES = 4
/** Times below this say more about the machine than about the function. */
const FLOOR_MS = 10
const MOST = 6
/** Sixteen times this, as a quadratic function would take, is still below what counts. */
const NOTHING_MS = 3.5
const RUNS = 4

const texts = new Map<string, string>()

/** Made once: every function is given the same texts. */
function filled(piece: string, length: number): string {
  const key = `${length} ${piece}`
  const text = texts.get(key) ?? Buffer.from(piece.repeat(Math.ceil(length / piece.length)).slice(0, length)).toString()
  texts.set(key, text)
  return text
}

function msOf(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const {system, user} = process.cpuUsage(start)
  return (system + user) / 1000
}

/**
 * Undefined where it is linear. The best of some runs counts: whatever else the machine does only adds. Where the garbage
 * of other tests is collected in all of them, longer texts decide.
 */
function excess(work: (text: string) => unknown, piece: string, floorMs = FLOOR_MS): string | undefined {
  const found = excessAt(SHORT, work, piece, floorMs)
  return found?.isSlow === false ? excessAt(TIMES * SHORT, work, piece, TIMES * floorMs)?.text : found?.text
}

function excessAt(
  length: number,
  work: (text: string) => unknown,
  piece: string,
  floorMs: number,
): {readonly isSlow: boolean; readonly text: string} | undefined {
  const short = filled(piece, length)
  const long = filled(piece, TIMES * length)
  let [shortMs, longMs] = [Infinity, Infinity]
  for (let run = 0; run < RUNS; run++) {
    // A quadratic function is not given the long text at all if the short one takes seconds.
    shortMs = Math.min(
      shortMs,
      msOf(() => work(short)),
    )
    if (shortMs > 2000) break
    if (shortMs < NOTHING_MS && !FEW_PIECES.includes(piece)) return undefined
    longMs = Math.min(
      longMs,
      msOf(() => work(long)),
    )
    if (longMs <= MOST * Math.max(shortMs, floorMs)) return undefined
  }
  const text = `${JSON.stringify(piece)}: ${shortMs.toFixed()} ms for ${length}, ${longMs.toFixed()} ms for ${TIMES * length}`
  return {isSlow: longMs > 2000, text}
}

describe('review S9: four times the length costs at most six times the time', () => {
  it.each(Object.entries(TEXT_FUNCTIONS))(
    '%s',
    (_, work) => {
      expect(sample(PIECES, 5).flatMap((piece) => excess(work, piece) ?? [])).toEqual([])
    },
    900_000,
  )

  // They hand the text on several times.
  it.each(Object.entries(VIEWS))(
    '%s',
    (_, work) => {
      expect(FEW_PIECES.flatMap((piece) => excess(work, piece, 2 * FLOOR_MS) ?? [])).toEqual([])
    },
    900_000,
  )

  it.each(SIGNATURES.map(({id, pattern}) => [id, pattern] as const))(
    'the signature %s',
    (_, pattern) => {
      // Its own letters, cut off at any place, are what it is most likely to stumble on.
      const plain = pattern.source.replaceAll(/\\(.)/g, '$1')
      const own = [12, 25, 60].map((length) => plain.slice(0, length))
      expect([...FEW_PIECES, ...own].flatMap((piece) => excess((text) => pattern.test(text), piece) ?? [])).toEqual([])
    },
    900_000,
  )
})
