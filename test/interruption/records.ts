// The records of k8s-win that must be the same, too: reset relies on them.
import {readJournal} from '../../src/pipeline/ledger/journal-format.js'
import type {HostFolder} from '../steps/host-folder.js'

/** Notes of one moment: what the network was before a cut, and that it came back; that programs were notified. */
const OF_A_MOMENT = new Set(['environment-notified', 'network-before', 'network-verified'])

/** What the journal claims, each once. */
export function claimsOf(host: HostFolder, baseDir = 'k'): string[] {
  const journal = `${baseDir}\\k8s-win\\journal.ndjson`
  const {lines} = readJournal(host.has(journal) ? host.read(journal) : '')
  const claims = lines
    .filter(({entry}) => !OF_A_MOMENT.has(entry.kind))
    // The ID of a network says when it was created, and the digest of the options on which machine.
    .map(({entry, step}) =>
      JSON.stringify({
        step,
        ...entry,
        ...(entry.kind === 'network' && {id: ''}),
        ...(entry.kind === 'setup' && {options: ''}),
      }),
    )
    // Whichever of the steps side by side comes first makes a folder that they share, and each may claim it.
    .map((claim) =>
      claim.replace(/^\{"step":"[\w-]+",("kind":"directory","path":"[^"]*\\(?:containerd|downloads)"\})/, '{$1'),
    )
  return [...new Set(claims)].sort()
}

/** Nothing half done stays beside what was downloaded. */
export function downloadsOf(host: HostFolder, baseDir = 'k'): string[] {
  return Object.keys(host.filesBut((name) => !name.startsWith(`${baseDir}/downloads/`))).sort()
}
