// A repair by watch: recover, limited to what died. What was changed is reported, and "k8s-win recover" repairs it.
import {DAEMONS, stepsOfDaemon} from '../../config/daemons.js'
import {STEP_IDS, type StepId} from '../../config/step-ids.js'
import {createRedactor} from '../../output/text/redact.js'
import {EventBus} from '../../pipeline/run/events.js'
import {runRecover} from '../recover/recover.js'
import {yieldingSignal} from '../run-lock.js'
import {problemFor, REPAIR_MS} from './child.js'
import {type ChildInput, componentOf, runInspect} from './inspect.js'
import type {ChildOutcome} from './model.js'
import {readPause} from './pause.js'

const REPAIRED = DAEMONS.flatMap(stepsOfDaemon)
/** What watch may run, in the order of setup. Routes of the host are put back by overlay-network. */
export const REPAIRS: readonly StepId[] = STEP_IDS.filter((id) => REPAIRED.includes(id))

export async function runRepair(input: ChildInput, steps: readonly string[]): Promise<ChildOutcome> {
  const {baseDir, caller, machine, signal} = input
  // One that cannot be read just now is read again a second later.
  const isPaused = async (): Promise<boolean> => (await readPause(machine, baseDir).catch(() => {})) !== undefined
  const only = REPAIRS.filter((id) => steps.includes(id))
  const yielding = yieldingSignal(machine, signal, isPaused)
  const result = await runRecover({
    ...input,
    bus: new EventBus(() => machine.clock.now()),
    holder: {...caller, command: 'k8s-win watch'},
    only,
    redactor: createRedactor(),
    signal: yielding.signal,
    timeoutMs: REPAIR_MS,
  }).finally(() => yielding.cancel())
  const {error, errors = error ? [error] : [], exitCode} = result
  // A repair that was refused has failed for what it was asked for: an overlay network is asked for with its daemons.
  const asked = only.find((id) => componentOf(id) === 'network') ?? only[0] ?? ''
  const at = result.steps.find((step) => step.error && step.error.id === error?.id)?.id ?? asked
  const failures = errors.map((one) => problemFor(one, componentOf(at)))
  const changed = result.steps.reduce((sum, {changes}) => sum + changes.length, 0)
  const {problems} = yielding.signal.aborted ? {problems: []} : await runInspect(input)
  const isNew = ({error: {id}}: {error: {id: string}}): boolean => failures.every((one) => one.error.id !== id)
  return {changed, exitCode, problems: [...failures, ...problems.filter(isNew)]}
}
