// What is the node's already, and not named in the journal here: the journal was lost. It is recorded before the steps
// look, which take what no journal names for unmanaged.
import {programPaths} from '../../artifacts/programs.js'
import {type JournalLine, LOSS} from './journal.js'
import {findUnnamedFiles, isNamedIn} from './find-owned.js'
import {servicesHere} from './other-base-dirs.js'
import type {StepContext} from '../run/step.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal'>

/** In words, where something was lost. */
export async function noteLostFiles(context: Context): Promise<string | undefined> {
  const lines = await findLostFiles(context)
  if (lines.length === 0) return undefined
  await context.journal.recordLines([LOSS, ...lines])
  return (
    `the journal of ${context.config.baseDir} was lost, or a part of it: programs and configuration of k8s-win there are recorded again. ` +
    'What may have been there before setup, such as the folders of daemons and pulled images, stays at a later reset'
  )
}

/**
 * Where the journal is damaged, or our services run from here and it does not name them: the files beside them, as setup
 * would have noted them, for a step notes nothing of what it finds in place. Services and rules are not: by them reset sees that the journal was lost, and tells what stays.
 */
async function findLostFiles({config, host, journal}: Context): Promise<JournalLine[]> {
  const isNamed = isNamedIn(journal)
  const isLost = async (): Promise<boolean> => {
    if (programPaths(config).every((path) => isNamed({kind: 'file', path}))) return false
    // Services that cannot be asked now are told by the steps that need them.
    const here = await servicesHere(host, config.baseDir).catch(() => [])
    return here.some((name) => !isNamed({kind: 'service', name}))
  }

  if (journal.damage?.message === undefined && !(await isLost())) return []
  return findUnnamedFiles(host, config, journal)
}
