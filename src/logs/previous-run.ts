// Finds the run of a daemon before its last start: after a crash, the one that says why.
import {win32} from 'node:path'
import {klogProcesses} from '../host/services/daemon-log.js'
import {isRunnerLog} from './file-names.js'
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
  const appended = byTime.filter(({file}) => isRunnerLog(win32.basename(file)))
  const before = await betweenProcesses(reader, appended)
  if (before.length > 0) return before

  // A run of k8s-win has one file; a process of a daemon has one or, where they got full, several.
  const runs: LogFile[][] = []
  for (const file of byTime.filter((one) => !appended.includes(one))) {
    const run = runs.at(-1)
    if (run?.[0] && file.process !== undefined && run[0].process === file.process) run.push(file)
    else runs.push([file])
  }
  // Before an upgrade to 1.26 a daemon wrote its own files.
  return (runs.at(appended.length > 0 ? -1 : -2) ?? []).map((file) => ({file, stretch: {}}))
}

/** kube-log-runner appends every run of its daemon to one file; klog's lines have the number of the process. */
async function betweenProcesses(reader: LogReader, files: readonly LogFile[]): Promise<Part[]> {
  const parts: Part[] = []
  let last: number | undefined
  let before: number | undefined
  for (const file of [...files].reverse()) {
    const starts = await processesIn(reader, file)
    for (const [index, {offset, process}] of [...starts.entries()].reverse()) {
      last ??= process
      if (before === undefined && process !== last) before = process
      if (before === undefined) continue
      if (process !== before) return parts
      const to = starts[index + 1]?.offset
      parts.unshift({file, stretch: {...(index > 0 && {from: offset}), ...(to !== undefined && {to})}})
    }
  }
  return parts
}

/** Where each process begins to write. */
async function processesIn(reader: LogReader, file: LogFile): Promise<{offset: number; process: number}[]> {
  const found: {offset: number; process: number}[] = []
  let seen = ''
  // Only what has another process than the text before it is parsed.
  const mayHold = (texts: readonly string[]): boolean[] =>
    texts.map((text) => {
      let isNew = false
      for (const process of klogProcesses(text)) {
        isNew ||= process !== seen
        seen = process
      }
      return isNew
    })
  for await (const entries of readEntries(reader, file, {}, mayHold)) {
    for (const {offset, process} of entries) {
      if (process !== undefined && process !== found.at(-1)?.process) found.push({offset, process})
    }
  }
  return found
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
