// The first phases of recover: which node is meant, and whether it is one that can be repaired.
import {loadDigests} from '../../artifacts/digests.js'
import {loadUnpacker} from '../../artifacts/unpack.js'
import {hostOptions, openHost} from '../../host/host.js'
import {stepsFor} from '../../steps/index.js'
import {isNodeAbsent, type NodeRequest, readDefaults, readKnownNode, whyNotSetUp} from '../known-node.js'
import {limitTime} from '../run.js'
import type {SetupRun} from '../phases/setup-run.js'
import {skippedIn} from '../status/records.js'
import {demandFinished} from '../status/unfinished-run.js'

const requestOf = ({environment, input, machine, signal}: SetupRun): NodeRequest => ({
  baseDir: input.given['base-dir'] as string | undefined,
  configFile: input.given.config as string | undefined,
  dockerHost: input.dockerHost,
  environment,
  machine,
  signal,
})

export async function readRequest(run: SetupRun): Promise<void> {
  run.config = await readDefaults(requestOf(run))
  limitTime(run, run.input.timeoutMs ?? run.config.timeoutMs)
  await Promise.all([loadDigests(), loadUnpacker()])
}

/** With the lock: a run that it finds unfinished has ended. */
export async function readNode(run: SetupRun): Promise<void> {
  const {assets, input, limited} = run
  const {machine} = limited
  const known = await readKnownNode({...requestOf(run), machine})
  const {config, journal, problem, state} = known
  if (isNodeAbsent(known)) throw await whyNotSetUp({machine}, known)
  await demandFinished(machine, known)
  if (problem) throw problem
  // One that k8s-win did not install is only named.
  run.config = {...config, endsPods: input.yes === true && config.containerd.isOurs, skip: skippedIn(journal)}
  run.host = openHost(machine, hostOptions(assets, config))
  if (state === 'set-up') return
  throw known.distrust ?? (await whyNotSetUp({machine}, known))
}

export async function announce(run: SetupRun): Promise<void> {
  const {bus, command, config} = run
  run.steps = stepsFor(config)
  bus.emit({command, steps: run.steps.map(({id, title}) => ({id, title})), type: 'run-started'})
}
