// The run of a daemon before its last start: after a crash, the one that tells why.
import type {LogFile, LogReader} from './log-file.js'
import {entriesBackward} from './read-backward.js'
import type {Stretch} from './read-forward.js'

/** shawl writes this each time it starts its program. */
const LAUNCH = 'Launching command'
/** And this first of all, when it is started itself. */
const BEGINNING = '********** LAUNCH **********'

export interface Part {
  readonly file: LogFile
  readonly stretch: Stretch
}

/** The parts of one component's files that are of that run; none where there was only one. */
export async function previousRun(reader: LogReader, files: readonly LogFile[]): Promise<Part[]> {
  const byTime = [...files].sort((one, other) => one.about.begins - other.about.begins)
  const wrapped = byTime.filter(isShawl)
  if (wrapped.length > 0) return betweenLaunches(reader, wrapped)

  // A run of ours has a file, a process of a daemon one or, where they got full, several.
  const runs: LogFile[][] = []
  for (const file of byTime) {
    const run = runs.at(-1)
    if (run?.[0] && file.process !== undefined && run[0].process === file.process) run.push(file)
    else runs.push([file])
  }
  return (runs.at(-2) ?? []).map((file) => ({file, stretch: {}}))
}

const isShawl = ({file}: LogFile): boolean => /[\\/]shawl_for_[^\\/]*$/i.test(file)

/** From the last launch but one up to the last, over as many files as it takes. */
async function betweenLaunches(reader: LogReader, files: readonly LogFile[]): Promise<Part[]> {
  const parts: Part[] = []
  let to: number | undefined
  let oldest = ''
  for (const file of [...files].reverse()) {
    for await (const entries of entriesBackward(reader, file)) {
      for (const {message, offset} of entries) {
        oldest = message
        if (message !== LAUNCH) continue
        if (to !== undefined || parts.length > 0) {
          return [{file, stretch: {from: offset, ...(to !== undefined && {to})}}, ...parts]
        }
        to = offset
      }
    }
    if (to !== undefined) parts.unshift({file, stretch: {to}})
    else if (parts.length > 0) parts.unshift({file, stretch: {}})
    to = undefined
  }
  // What is left of a run whose beginning was rotated away; or there was none, only shawl's own start.
  return oldest === BEGINNING ? [] : parts
}
