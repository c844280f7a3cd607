// A file that shows the state of the node to others: replaced as a whole when the state has changed, and now and then.
import {win32} from 'node:path'
import {openTrust, type Use} from '../../host/security/trust.js'
import type {Machine} from '../../machine/machine.js'
import type {WatchReporter, WatchState} from './model.js'

export interface FileReporterInput {
  readonly everyMs: number
  readonly machine: Pick<Machine, 'files' | 'win32'>
  readonly path: string
  readonly render: (state: WatchState) => string
  /** What its folder must be. */
  readonly use: Use
}

/** Best effort: what cannot be written (a full disk, a folder that others can write to) is tried again in the next round. */
export function fileReporter({everyMs, machine, path, render, use}: FileReporterInput): WatchReporter {
  let isWriting = false
  let written: {readonly at: number; readonly key: string} | undefined

  const write = async (state: WatchState): Promise<void> => {
    // The time of the check alone is not a change.
    const key = render({...state, at: 0})
    const age = state.at - (written?.at ?? 0)
    // A clock that was set back makes what was written look new.
    if (written?.key === key && age >= 0 && age < everyMs) return
    if (await openTrust(machine.win32).problem(win32.dirname(path), use)) return
    await machine.files.write(path, render(state))
    written = {at: state.at, key}
  }

  return {
    async report(state) {
      // A disk that hangs must not collect writes.
      if (isWriting) return
      isWriting = true
      await write(state).catch(() => {})
      isWriting = false
    },
  }
}
