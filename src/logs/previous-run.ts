// Finds the run of a daemon before its last start: after a crash, the one that says why.
import type {LogFile, LogReader} from './log-file.js'
import {readEntries, type Stretch} from './read-entries.js'

/** shawl writes this each time it starts its program. */
const LAUNCH = 'Launching command'
/** shawl writes this when it is started itself. */
const BEGINNING = '********** LAUNCH **********'

export interface Part {
  /** Its first entry, where that is later than the beginning of the file. */
  readonly begins?: number
  readonly file: LogFile
  readonly stretch: Stretch
}

/** The parts of one component's files that are of that run; none where there was only one. */
export async function previousRun(reader: LogReader, files: readonly LogFile[]): Promise<Part[]> {
  const byTime = [...files].sort((one, other) => one.about.begins - other.about.begins)
  const wrapped = byTime.filter(({file}) => /[\\/]shawl_for_[^\\/]*$/i.test(file))
  if (wrapped.length > 0) return betweenLaunches(reader, wrapped)

  // A run of k8s-win has one file; a process of a daemon has one or, where they got full, several.
  const runs: LogFile[][] = []
  for (const file of byTime) {
    const run = runs.at(-1)
    if (run?.[0] && file.process !== undefined && run[0].process === file.process) run.push(file)
    else runs.push([file])
  }
  return (runs.at(-2) ?? []).map((file) => ({file, stretch: {}}))
}

/** From the last launch but one up to the last, over as many files as it takes. */
async function betweenLaunches(reader: LogReader, files: readonly LogFile[]): Promise<Part[]> {
  const parts: Part[] = []
  let isEnded = false
  let oldest = ''
  for (const file of [...files].reverse()) {
    const launches: number[] = []
    if (file.size > 0) oldest = ''
    const mayHold = (texts: readonly string[]): boolean[] =>
      texts.map((text) => text.includes(LAUNCH) || text.includes(BEGINNING))
    for await (const entries of readEntries(reader, file, {}, mayHold)) {
      for (const {message, offset} of entries) {
        if (offset === 0) oldest = message
        if (message === LAUNCH) launches.push(offset)
      }
    }
    const to: number | undefined = isEnded ? undefined : launches.pop()
    isEnded ||= to !== undefined
    const from = isEnded ? launches.pop() : undefined
    if (isEnded) parts.unshift({file, stretch: {...(from !== undefined && {from}), ...(to !== undefined && {to})}})
    if (from !== undefined) return parts
  }
  // What is left of a run whose beginning was rotated away; or there was none, only shawl's own start.
  return oldest === BEGINNING ? [] : parts
}
