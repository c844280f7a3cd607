// setup: check the host, then bring every step into place.
import type {RunResultDocument} from '../../pipeline/run/events.js'
import {stepsFor} from '../../steps/index.js'
import {runSetupSteps} from './setup-steps.js'
import {readConfiguration} from '../configuration.js'
import {runWithRecords, withinTime} from '../run-lifecycle.js'
import type {SetupRun} from './setup-run.js'

const COMMAND = 'setup'

/** Never rejects for a reason people can mend: the document says how it ended. Rejects only for a bug. */
export function runSetup(asked: SetupRun): Promise<RunResultDocument> {
  return runWithRecords(COMMAND, asked, async (run, frame) => {
    const {bus, dockerHost, environment = {}, given: flags, machine, signal} = run
    const configuration = await readConfiguration({dockerHost, environment, flags, machine, signal})
    const {config} = configuration
    frame.story.baseDir = config.baseDir
    run.onConfig?.(config)
    const steps = stepsFor(config)
    await withinTime(run, config.timeoutMs, frame, async (runMachine, limit) => {
      bus.emit({command: COMMAND, steps: steps.map(({id, title}) => ({id, title})), type: 'run-started'})
      await runSetupSteps({...run, signal: limit}, configuration, {...frame, machine: runMachine, steps})
    })
  })
}
