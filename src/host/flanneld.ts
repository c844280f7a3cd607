// What flanneld.exe says of itself.
import type {Run} from '../machine/run.js'

const DEADLINE_MS = 30_000

export interface Flanneld {
  /** The flags that this program has, without hyphens. */
  flags(program: string, signal: AbortSignal): Promise<ReadonlySet<string>>
}

export const openFlanneld = (run: Run): Flanneld => ({
  // Go's flag package prints each flag in a line of its own (PrintDefaults), on standard error.
  async flags(program, signal) {
    const {stderr, stdout} = await run(program, ['--help'], {deadlineMs: DEADLINE_MS, effect: 'read', signal})
    return new Set([...`${stdout}\n${stderr}`.matchAll(/^ {2}-([\w-]+)/gm)].map(([, name = '']) => name))
  },
})
