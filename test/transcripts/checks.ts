// Tests that are run again with each recording changed: one of them has to fail, or the recording binds nothing.
import {describe, expect, it} from 'vitest'
import {type Change, reading, withChange} from './changes.js'
import {idsOf, recording} from './corpus.js'

interface Check {
  read?: ReadonlySet<string>
  readonly run: () => unknown
}

const CHECKS: Check[] = []

export function check(name: string, run: () => unknown): void {
  const added: Check = {run}
  CHECKS.push(added)
  it(name, async () => {
    added.read = await reading(run)
  })
}

/** Every part, and the code it ended with or the status. */
function changesOf(id: string): Change[] {
  const {exitCode, parts} = recording(id)
  return [
    ...parts.map((what) => ({id, what})),
    ...(parts.includes('http') ? [{id, what: 'status'} as const] : []),
    ...(exitCode === undefined ? [] : [{id, what: 'exitCode'} as const]),
  ]
}

async function isSeen(made: Change): Promise<boolean> {
  for (const {read, run} of CHECKS) {
    // Not run before, where tests are picked by name.
    if (read?.has(made.id) === false) continue
    try {
      await withChange(made, run)
    } catch {
      return true
    }
  }

  return false
}

/** After all checks of a file. Where nothing of k8s-win reads something, `unread` says so. */
export function everyChangeIsSeen(groups: readonly string[], unread: (change: Change) => boolean = () => false): void {
  describe('a change is seen', () => {
    it.each(groups.flatMap(idsOf))('of %s', async (id) => {
      const unseen: Change[] = []
      const changes = changesOf(id).filter((change) => !unread(change))
      for (const made of changes) if (!(await isSeen(made))) unseen.push(made)
      expect(changes).not.toEqual([])
      expect(unseen).toEqual([])
    })
  })
}
