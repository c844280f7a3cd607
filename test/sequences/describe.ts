// Random sequences of commands and misfortunes: every command ends in exactly its state, and purge in the state before the
// first. A failure prints the sequence; SEQUENCE='<what it prints>' npx vitest run test/sequences plays it again.
import fc from 'fast-check'
import {describe, test} from 'vitest'
import {type Sequence, sequencesOn, STAGES} from './acts.js'
import {play} from './play.js'
import {sample} from '../sample.js'

export interface Sequences {
  /** Those that have shown a defect once, by what it was. */
  readonly fixed?: Readonly<Record<string, Sequence>>
  /** Per stage. */
  readonly runs: number
  /** Without it, other sequences each time. */
  readonly seed?: number
}

const {SEQUENCE: given} = process.env

export function describeSequences({fixed = {}, runs, seed}: Sequences): void {
  describe('setup, upgrade, downgrade, kill, drift and reset in any order', () => {
    if (given !== undefined) {
      test(given, () => play(JSON.parse(given) as Sequence), 600_000)
      return
    }

    if (Object.keys(fixed).length > 0)
      test.each(Object.entries(fixed))('%s', async (_, sequence) => void (await play(sequence)))

    test.each(sample([...Object.keys(STAGES).entries()], 2))('%i: %s', async (nth, stage) => {
      const property = fc.asyncProperty(sequencesOn(stage), async (sequence) => {
        await play(sequence).catch((error: unknown) => {
          throw new Error(`SEQUENCE='${JSON.stringify(sequence)}'`, {cause: error})
        })
      })
      await fc.assert(property, {endOnFailure: true, numRuns: runs, ...(seed !== undefined && {seed: seed + nth})})
    })
  })
}
