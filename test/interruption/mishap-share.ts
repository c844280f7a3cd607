// One share of everything that can go wrong once in a fresh setup.
import {beforeAll, describe, expect, test} from 'vitest'
import {expectTold, type FreshRun, freshRun, type Misfortune} from './mishap-loop.js'

const SHARES = 4
/** Less than half of what there is: a run that stopped early would leave fewer. */
const FEWEST = 150

export const describeMishaps = (share: number): void =>
  describeMisfortunes(`share ${share} of ${SHARES}`, (_, index) => index % SHARES === share - 1)

/** What the steps do that only a node with containerd has; the others are the same with both runtimes. */
export const describeContainerdMishaps = (): void =>
  describeMisfortunes(
    'with containerd',
    ({site}) => /\\containerd\b|crictl|ctr\.exe|conflist|"containerd"/i.test(site.text),
    'ws2022-containerd',
  )

function describeMisfortunes(
  title: string,
  isWanted: (misfortune: Misfortune, index: number) => boolean,
  profile?: string,
): void {
  describe(`every effect goes wrong once, ${title}`, () => {
    let run: FreshRun
    beforeAll(async () => {
      run = await freshRun(profile)
    })

    test('the run says so, and run again it finishes', async () => {
      const failures: string[] = []
      const finished = new Set<string>()
      const wanted = run.misfortunes.filter((one, index) => isWanted(one, index))
      expect(wanted.length).toBeGreaterThan(FEWEST)
      for (const misfortune of wanted) {
        await expectTold(misfortune, run, finished).catch((error: unknown) => failures.push(String(error)))
      }
      expect(failures).toEqual([])
    })
  })
}
