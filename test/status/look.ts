// status called in this process, on a simulated host as it lies in its folder.
import {fileURLToPath} from 'node:url'
import {expect} from 'vitest'
import type {Effect} from '../../src/machine/intercept.js'
import {interceptMachine} from '../../src/machine/intercept.js'
import type {Machine} from '../../src/machine/machine.js'
import {openAssets} from '../../src/machine/real/assets.js'
import {createRedactor} from '../../src/output/text/redact.js'
import type {StatusDocument, StatusProblem} from '../../src/pipeline/run/status-report.js'
import {runStatus, type StatusRun} from '../../src/runs/status/status.js'
import {openSimulator} from '../../src/simulator/simulator.js'
import {schemaErrors} from '../schemas.js'
import {setupOn} from '../setup/in-process.js'
import {HostFolder, type HostPlace} from '../steps/host-folder.js'

const assets = openAssets(fileURLToPath(new URL('../..', import.meta.url)))

export interface Looked {
  readonly document: StatusDocument
  readonly effects: readonly Effect[]
}

export interface LookOptions extends Partial<Pick<StatusRun, 'baseDir' | 'dockerHost' | 'environment' | 'signal'>> {
  /** Around the simulated machine. */
  wrap?(machine: Machine): Machine
}

/** Every document is held against the schema. */
export async function lookAt(
  dir: HostPlace,
  {wrap = (machine) => machine, ...options}: LookOptions = {},
): Promise<Looked> {
  const effects: Effect[] = []
  const simulated = await openSimulator({dir, profile: 'ws2019', readOnly: true})
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

/** Set up once for all the files that one worker runs. */
let prepared: Promise<HostFolder> | undefined

/** A copy of a node that was set up. */
export async function healthyNode(): Promise<HostFolder> {
  prepared ??= (async () => {
    const host = HostFolder.empty()
    const {result} = await setupOn(host.dir)
    if (result.exitCode !== 0) throw new Error(`setup ended with ${result.exitCode}: ${result.error?.message ?? ''}`)
    return host
  })()
  return (await prepared).copy()
}

/** What somebody is told of one problem. */
export const told = ({area, subject}: StatusProblem): string => `${area}: ${subject}`
