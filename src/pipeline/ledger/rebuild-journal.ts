// What is the node's already, and not named in the journal here: the place it moves from has noted it, or the journal was
// lost. It is noted before the steps look, which take what no journal names for somebody else's.
import {programPaths} from '../../artifacts/programs.js'
import {isSameHome} from '../../components/node-home.js'
import {layoutOf} from '../../config/layout.js'
import {type JournalKind, type JournalLine, LOSS} from './journal.js'
import {guardJournal} from './journal-guard.js'
import {findUnnamedFiles, isNamedIn} from './find-owned.js'
import {homesOfServices, isInside, servicesHere} from './other-base-dirs.js'
import {possibleEntries} from './kinds/index.js'
import type {StepContext} from '../run/step.js'
import {openTrustedJournal} from './trusted-journal.js'

type Context = Pick<StepContext, 'config' | 'host' | 'journal'>

/** Of a place and its runs only. A service is claimed when it moves. */
const LEFT_THERE: ReadonlySet<JournalKind> = new Set([
  'configuration-read',
  'environment-told',
  'reset',
  'service',
  'setup',
])

export interface FormerHome {
  readonly home: string
  /** What it has noted outside of itself, and is not noted here. */
  readonly lines: readonly JournalLine[]
}

/** With --adopt a node moves, and with it what its journal knows: what is ours, and what was there before. */
export async function findFormerHomes({config, host, journal}: Context): Promise<FormerHome[]> {
  if (!config.adopt) return []
  const isPossible = possibleEntries(config)
  const known = new Set(journal.all().map((line) => JSON.stringify(line)))
  const found: FormerHome[] = []
  for (const home of (await homesOfServices(host)).keys()) {
    if (isSameHome(home, config.baseDir)) continue
    const {distrust, journal: there} = await openTrustedJournal(host, layoutOf(home).journal)
    if (distrust) throw distrust
    const believed = await guardJournal(there, {...config, baseDir: home}, host.files)
    const isCarried = (line: JournalLine): boolean =>
      !LEFT_THERE.has(line.entry.kind) && !isInside(line.entry, home) && isPossible(line)
    const lines = believed.journal.all().filter((line) => isCarried(line) && !known.has(JSON.stringify(line)))
    if (lines.length > 0) found.push({home, lines})
  }

  return found
}

/** In words, where something was lost. */
export async function noteLostFiles(context: Context): Promise<string | undefined> {
  const lines = await findLostFiles(context)
  if (lines.length === 0) return undefined
  await context.journal.recordLines([LOSS, ...lines])
  return (
    `the journal of ${context.config.baseDir} was lost, or a part of it: our programs and configuration there are noted anew. ` +
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
