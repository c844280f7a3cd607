// Many vectors, some at once: each lane has its own, and shrinks what failed in it.
import fc from 'fast-check'
import {SEED, text, vector} from './vectors.js'

const LANES = 4

/** Looks at one vector and a value for a variable. */
type Judge = (args: readonly string[], value: string) => Promise<void>

/** One lane's share of so many. */
export function runLane(lane: number, ofAll: number, judge: Judge): Promise<void> {
  const settings = {includeErrorInReport: true, numRuns: ofAll / LANES, seed: SEED * LANES + lane}
  return fc.assert(fc.asyncProperty(vector, text, judge), settings)
}

/** Waits for all of them, also where one has failed. */
export async function inLanes<T>(work: (lane: number) => Promise<T>): Promise<T[]> {
  const all = Array.from({length: LANES}, (_, lane) => work(lane))
  await Promise.allSettled(all)
  return Promise.all(all)
}
