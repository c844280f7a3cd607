// Log folders, for those who show or collect them: what others put there may be another file's other name, or lead
// elsewhere, and would show what only administrators may read.
import type {Files} from '../../machine/files.js'
import type {Trust} from '../security/trust.js'

/** The files, in whose folders nothing is listed that others can have put there. */
export function trustedLogs(files: Files, trust: Trust, note: (text: string) => void): Files {
  const problems = new Map<string, Promise<boolean>>()
  const judged = new Map<string, Map<string, boolean>>()
  const isTrusted = (folder: string): Promise<boolean> => {
    const known =
      problems.get(folder) ??
      trust.problem(folder, 'folder').then((problem) => {
        if (problem) note(`${folder} is not read. ${problem.message}: ${problem.reason}`)
        return problem === undefined
      })
    problems.set(folder, known)
    return known
  }

  return {
    ...files,
    async list(folder) {
      if (!(await isTrusted(folder))) return []
      const names = await files.list(folder)
      const known = judged.get(folder) ?? new Map<string, boolean>()
      judged.set(folder, known)
      // Who follows logs asks many times a second.
      if (names.some((name) => !known.has(name))) {
        const distrusted = await trust.distrustedIn(folder)
        for (const name of names) {
          if (distrusted.has(name) && !known.has(name))
            note(`${folder}\\${name} is not read: others can have put it there.`)
          known.set(name, !distrusted.has(name))
        }
      }

      return names.filter((name) => known.get(name))
    },
  }
}
