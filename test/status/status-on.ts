// status called in this process, on a simulated host as it lies in its folder.
import {expect} from 'vitest'
import type {Effect} from '../../src/machine/intercept.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {createRedactor} from '../../src/output/text/redact.js'
import type {StatusDocument, StatusProblem} from '../../src/pipeline/run/status-report.js'
import type {HealthInput} from '../../src/runs/status/node-health.js'
import {runStatus} from '../../src/runs/status/status.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {assets} from '../fixtures/assets.js'
import {schemaErrors} from '../schemas.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder, type HostPlace} from '../steps/host-folder.js'

export interface StatusRead {
  readonly document: StatusDocument
  readonly effects: readonly Effect[]
}

export interface StatusOptions extends Partial<
  Pick<HealthInput, 'assets' | 'baseDir' | 'dockerHost' | 'environment' | 'signal'>
> {
  readonly profile?: string
  /** Around the simulated machine. */
  wrap?(machine: Machine): Machine
}

/** Every document is held against the schema. */
export async function statusOn(
  dir: HostPlace,
  {profile = 'ws2019', wrap = (machine) => machine, ...options}: StatusOptions = {},
): Promise<StatusRead> {
  const effects: Effect[] = []
  const simulated = await openSimulator({dir, profile, readOnly: true})
  const machine = interceptMachine(wrap(simulated), (effect, perform) => {
    effects.push(effect)
    return perform()
  })
  const document = await runStatus({
    assets,
    environment: {},
    machine,
    redactor: createRedactor(),
    signal: new AbortController().signal,
    typed: (name, baseDir) => ['k8s-win', name, ...(baseDir === undefined ? [] : [`--base-dir ${baseDir}`])].join(' '),
    ...options,
  })
  expect(schemaErrors('status', document)).toEqual([])
  return {document, effects}
}

/** Set up for the files that one worker runs. */
let prepared: HostFolder | undefined

/** A copy of a node that was just set up: a host in memory has its own clock, so nothing changes on it by itself. */
export async function healthyNode(): Promise<HostFolder> {
  if (!prepared) {
    prepared = HostFolder.empty()
    const {result} = await setupOn(prepared.dir)
    if (result.exitCode !== 0) throw new Error(`setup ended with ${result.exitCode}: ${result.error?.message ?? ''}`)
  }

  return prepared.copy()
}

/** What is reported of one problem. */
export const told = ({area, subject}: StatusProblem): string => `${area}: ${subject}`
