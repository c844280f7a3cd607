// Many vectors, some at once: they are dealt out in shares, and each share shrinks what failed in it.
import fc from 'fast-check'
import {SEED, text, vector} from './vectors.js'

export const LANES = 4

/** Looks at one vector and a value for a variable. */
type Judge = (args: readonly string[], value: string) => Promise<void>

/** A share's own vectors: the same each time, and others than those of the other shares. */
export function runShare(share: number, vectors: number, judge: Judge): Promise<void> {
  const settings = {includeErrorInReport: true, numRuns: vectors, seed: SEED * 1000 + share}
  return fc.assert(fc.asyncProperty(vector, text, judge), settings)
}

/** Waits for all that has begun, also where one has failed. */
export async function inLanes(shares: number, work: (share: number) => Promise<void>): Promise<void> {
  let next = 0
  const lanes = Array.from({length: LANES}, async () => {
    while (next < shares) await work(next++)
  })
  await Promise.allSettled(lanes)
  await Promise.all(lanes)
}
