// containerd's programs, answering with recordings or with what a test gives them.
import {ANY_PIPE} from '../../fakes/any-pipe.js'
import {openContainerd} from '../../../src/host/containerd/containerd.js'
import type {Run, RunOptions, RunResult} from '../../../src/machine/run.js'
import {createSimulatedClock} from '../../../src/simulator/clock.js'
import {crictlRecording} from '../../transcripts/crictl-recordings.js'

export const result = (given: Partial<RunResult>): RunResult => ({
  durationMs: 0,
  exitCode: 0,
  stderr: '',
  stdout: '',
  ...given,
})

/** The name of a recording, what was printed, or a function that is asked every time. */
export type Answer = (() => Answer) | Partial<RunResult> | Promise<RunResult> | string

export interface Started {
  readonly args: readonly string[]
  readonly options: RunOptions
  readonly program: string
}

/** By arguments, without those before the command. */
export function openRig(answers: Readonly<Record<string, Answer>>) {
  const started: Started[] = []
  const clock = createSimulatedClock(0, async () => {})
  const resolve = async (answer: Answer): Promise<RunResult> => {
    if (typeof answer === 'function') return resolve(answer())
    if (typeof answer === 'string') return crictlRecording(answer)
    return result(await answer)
  }
  const run: Run = async (program, args, options) => {
    started.push({args, options, program})
    const command = commandOf({args, program})
    const answer = answers[command]
    if (answer === undefined) throw new Error(`${command} was not expected`)
    return resolve(answer)
  }
  const containerd = openContainerd({clock, pipes: ANY_PIPE, run}, String.raw`C:\k`)
  return {clock, commands: () => started.map(commandOf), containerd, started}
}

/** "crictl pods -o json" */
function commandOf({args, program}: Pick<Started, 'args' | 'program'>): string {
  const isCrictl = program.endsWith('crictl.exe')
  return [isCrictl ? 'crictl' : 'ctr', ...args.slice(isCrictl ? 2 : 4)].join(' ')
}
