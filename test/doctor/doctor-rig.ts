// doctor on a simulated host: one that is set up once a file, copied for each test and made unhealthy there.
import type {CheckId, NodeCheckId} from '../../src/config/check-ids.js'
import type {GivenOptions} from '../../src/config/options/options.js'
import {assets} from '../fixtures/assets.js'
import {type Fault, faultyMachine} from '../fakes/faulty.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import type {DoctorCheck, DoctorDocument} from '../../src/output/doctor/doctor-document.js'
import type {GroupedCheck} from '../../src/output/doctor/doctor-view.js'
import {createRedactor} from '../../src/output/text/redact.js'
import {runDoctor} from '../../src/runs/doctor/doctor.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import type {World} from '../../src/simulator/world.js'
import {setupOn} from '../setup/in-process.js'
import {allowEverything} from '../fakes/administrator.js'
import {HostFolder} from '../steps/host-folder.js'

export interface Examination {
  readonly check: (id: CheckId | NodeCheckId) => DoctorCheck
  readonly document: DoctorDocument
  /** Results that are no plain pass, by id. */
  readonly notable: Readonly<Record<string, string>>
  readonly told: readonly GroupedCheck[]
}

export interface ExaminationOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly faults?: readonly Fault[]
  readonly given?: GivenOptions
  readonly profile?: string
  readonly signal?: AbortSignal
  readonly wrap?: (machine: Machine) => Machine
}

/** Shared by the files that one worker runs, and gone with it. */
let prepared: Promise<HostFolder> | undefined

/** A copy of a node that was set up. */
export async function setUpNode(sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  prepared ??= (async () => {
    const folder = await HostFolder.fresh(allowEverything)
    const {result} = await setupOn(folder.dir)
    if (result.exitCode !== 0) throw new Error(JSON.stringify(result.error))
    return folder
  })()
  const copy = (await prepared).copy()
  copy.edit(sicken)
  return copy
}

export async function freshHost(sicken: (world: World) => void = () => {}): Promise<HostFolder> {
  const folder = await HostFolder.fresh(allowEverything)
  folder.edit(sicken)
  return folder
}

/** Demands that nothing was changed. */
export async function examine({dir}: HostFolder, options: ExaminationOptions = {}): Promise<Examination> {
  const simulated = await openSimulator({dir, profile: options.profile ?? 'ws2019', readOnly: true})
  const watched = interceptMachine(simulated, async (effect, perform) => {
    if (effect.kind === 'change') throw new Error(`doctor changes something: ${effect.what} ${effect.args.join(' ')}`)
    return perform()
  })
  const faulty = faultyMachine(options.wrap?.(watched) ?? watched, options.faults ?? [])
  const told: GroupedCheck[] = []
  const document = await runDoctor({
    assets,
    environment: options.environment ?? {},
    given: options.given ?? {},
    machine: faulty,
    onCheck: (check) => told.push(check),
    redactor: createRedactor(),
    signal: options.signal ?? new AbortController().signal,
    typed: (name) => `k8s-win ${name}`,
  })
  const all = document.groups.flatMap(({checks}) => checks)
  const check = (id: string): DoctorCheck => {
    const found = all.find((one) => one.id === id)
    if (!found) throw new Error(`there was no check ${id}`)
    return found
  }
  const notable = all.filter(({result}) => result !== 'pass').map(({id, result}) => [id, result])
  return {check, document, notable: Object.fromEntries(notable) as Record<string, string>, told}
}
