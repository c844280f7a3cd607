// Runs whose end is known: hundreds of tests begin with the same setup of the same host, which takes a quarter of a second.
import type {MemoryHost} from './memory-host.js'

interface KnownRun {
  readonly after: MemoryHost
  readonly run: unknown
}

/** A host of them takes about a megabyte. */
const MOST = 60

/** Those that were used last come last. They are kept for all files that one worker runs. */
const known = new Map<string, KnownRun>()

/**
 * A run that nobody watches, on a host in memory that is as another one was before, is not repeated: the host becomes what the
 * other one became. A host in memory has its own time, so that a run depends on nothing but the host and what is asked.
 */
export async function onceOnEqualHosts<Run>(
  host: MemoryHost | string,
  asked: Readonly<Record<string, unknown>>,
  perform: () => Promise<Run>,
): Promise<Run> {
  const question = JSON.stringify(asked)
  // A folder has the time of the real machine, and a file of that may have changed since.
  const fingerprint = typeof host === 'string' || /"\//.test(question) ? undefined : host.fingerprint
  if (typeof host === 'string' || fingerprint === undefined) return perform()
  const key = `${question}\n${fingerprint}`
  const seen = known.get(key)
  if (seen) {
    known.delete(key)
    known.set(key, seen)
    host.become(seen.after)
    return seen.run as Run
  }
  const lines = host.lines
  const run = await perform()
  known.set(key, {after: host.copySince(lines), run})
  for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - MOST))) known.delete(oldest)
  return run
}
