// Runs whose end is known: hundreds of tests begin with the same setup of the same host, which takes a quarter of a second.
import type {GivenOptions} from '../../src/config/options.js'
import type {MemoryHost} from '../fakes/memory-host.js'
import type {InProcessRun} from './in-process.js'

interface KnownRun {
  readonly after: MemoryHost
  readonly run: InProcessRun
}

export interface Asked {
  readonly given: GivenOptions
  readonly profile: string
}

/** A host of them takes about a megabyte. */
const MOST = 60

/** Those that were used last come last. They are kept for all files that one worker runs. */
const known = new Map<string, KnownRun>()

/** A host in memory has its own time, so that a run depends on nothing but the host and what is asked. */
export async function onceOnEqualHosts(
  host: MemoryHost,
  asked: Asked,
  perform: () => Promise<InProcessRun>,
): Promise<InProcessRun> {
  const {fingerprint} = host
  // A file of the real machine may have changed since.
  if (fingerprint === undefined || /"\//.test(JSON.stringify(asked))) return perform()
  const key = `${JSON.stringify(asked)}\n${fingerprint}`
  const lines = host.lines
  const seen = known.get(key)
  known.delete(key)
  if (seen) host.become(seen.after)
  const run = seen?.run ?? (await perform())
  known.set(key, seen ?? {after: host.copySince(lines), run})
  for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - MOST))) known.delete(oldest)
  return run
}
