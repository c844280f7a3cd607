// Checks the journal before anything is removed by it: entries that no setup could have recorded, and paths with a link
// on the way, are ignored and reported.
import {win32} from 'node:path'
import {KUBELET_CERTIFICATE_FILES} from '../../config/layout.js'
import type {Decided} from '../../config/model.js'
import {keyOf, setOf} from '../../host/security/known-paths.js'
import type {Files} from '../../machine/files.js'
import {type Journal, type JournalLine, narrowed} from '../ledger/journal.js'
import {pathOf} from '../ledger/entries.js'
import {possibleEntries} from './kinds.js'

export interface GuardedJournal {
  /** Without the refused entries, which the file keeps until they are forgotten with the rest. */
  readonly journal: Journal
  /** One text per refused entry. */
  readonly refused: readonly string[]
  /** Those that name something which setup may have created: it is not removed. */
  readonly unreached: readonly string[]
}

const KUBELET_LINKS = setOf(KUBELET_CERTIFICATE_FILES.slice(0, 2))
const LONGEST_TOLD = 200

export async function guardJournal(journal: Journal, config: Decided, files: Files): Promise<GuardedJournal> {
  const isPossible = possibleEntries(config)
  const findLink = linkFinder(files)
  const refused = new Map<string, string>()
  const unreached: string[] = []
  for (const line of journal.all()) {
    const key = JSON.stringify(line)
    if (refused.has(key)) continue
    if (!isPossible(line)) {
      refused.set(key, `${shown(line)}: setup in this base directory does not record that`)
      continue
    }

    const path = pathOf(line.entry)
    const link = path === undefined ? undefined : await findLink(path)
    if (link === undefined || path === undefined) continue
    refused.set(key, `${shown(line)}: ${link} is a link now, and setup created none`)
    // An access list is no thing of its own: the path that has it may be the user's.
    if (line.entry.kind !== 'security') unreached.push(`${path}, for ${link} is a link now`)
  }

  const isFollowed = (line: JournalLine): boolean => !refused.has(JSON.stringify(line))
  return {
    journal: narrowed(journal, isFollowed),
    refused: [...refused.values()],
    unreached: [...new Set(unreached)],
  }
}

/**
 * Finds the first link among a path and its parents: k8s-win creates none, so what is behind it belongs to something
 * else. The kubelet's own (certificate_store.go, updateSymlink) are removed and renamed themselves, never followed.
 */
function linkFinder(files: Files): (path: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>()
  const find = (path: string): Promise<string | undefined> => {
    const parent = win32.dirname(path)
    // The root of a drive is always a folder.
    if (parent === path) return Promise.resolve(undefined)
    const key = keyOf(path)
    const link =
      known.get(key) ??
      find(parent).then(async (above) => {
        if (above !== undefined || KUBELET_LINKS.has(key)) return above
        return (await files.status(path))?.kind === 'link' ? path : undefined
      })
    known.set(key, link)
    return link
  }

  return find
}

function shown({entry, step}: JournalLine): string {
  const text = JSON.stringify(entry)
  // Control characters must not reach a terminal.
  const plain = text.replaceAll(/[^\x20-\x7E]/g, '?')
  return `${step} ${plain.length > LONGEST_TOLD ? `${plain.slice(0, LONGEST_TOLD)}...` : plain}`
}
