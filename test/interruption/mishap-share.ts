// One share of everything that can go wrong once in a fresh setup.
import {beforeAll, describe, expect, test} from 'vitest'
import {expectTold, type FreshRun, freshRun} from './mishap-loop.js'

const SHARES = 4

export function describeMishaps(share: number): void {
  describe(`every effect goes wrong once, share ${share} of ${SHARES}`, () => {
    let run: FreshRun
    beforeAll(async () => {
      run = await freshRun()
    })

    test('the run says so, and run again it finishes', async () => {
      const {misfortunes, undisturbed} = run
      const failures: string[] = []
      const finished = new Set<string>()
      for (const [index, misfortune] of misfortunes.entries()) {
        if (index % SHARES !== share - 1) continue
        await expectTold(misfortune, undisturbed, finished).catch((error: unknown) => failures.push(String(error)))
      }
      expect(failures).toEqual([])
    })
  })
}
