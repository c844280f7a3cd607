// The first phases of setup and upgrade: what was asked for, the lock, and what the host and the cluster say. Changes nothing.
import {loadDigests} from '../../artifacts/digests.js'
import {loadUnpacker} from '../../artifacts/unpack.js'
import {layoutOf} from '../../config/layout.js'
import {type Decided, NETWORK_NAME} from '../../config/model.js'
import type {GivenOptions} from '../../config/options.js'
import {secretsOf} from '../../config/parse-join.js'
import {type Host, hostOptions, openHost} from '../../host/host.js'
import {rememberingMachine} from '../../machine/intercept.js'
import {isNoteOpen} from '../../pipeline/desired/network/network-guard.js'
import {openTrustedJournal} from '../../pipeline/ledger/journal.js'
import {stepsFor} from '../../steps/index.js'
import {readAsked} from '../configuration.js'
import {decideConfig, withToken} from '../decide-config.js'
import {limitTime, takeRunLock} from '../run.js'
import {newerPatch} from '../upgrade/choose-release.js'
import {findUpgrade} from '../upgrade/find-upgrade.js'
import {reportDecision, reportRelease, reportUpgrade} from './report-decision.js'
import type {SetupPhase, SetupRun} from './run.js'
import {untilSettled} from './settling.js'

const CLUSTER = 'Query the cluster'

export const readOptions: SetupPhase = {
  async run(run) {
    const {input, redactor} = run
    run.asked = await read(run, input.given)
    const {allowRestart, baseDir, dockerPipe, join, timeoutMs} = run.asked
    for (const secret of secretsOf(join?.token ?? '')) redactor.register(secret)
    run.baseDir = baseDir
    run.allowsRestart = allowRestart
    input.onConfig?.(run.asked)
    limitTime(run, timeoutMs)
    run.host = openHost(run.limited.machine, {assets: run.assets, baseDir, dockerPipe})
    // Loading is not an effect of the machine: no step may wait for it.
    await Promise.all([loadDigests(), loadUnpacker()])
  },
  title: 'Read the configuration',
}

const read = ({input: {dockerHost}, environment, machine, signal}: SetupRun, flags: GivenOptions) =>
  readAsked({dockerHost, environment, flags, machine, signal})

/** Others wait for nothing: neither host nor cluster is asked before. */
export const takeLock: SetupPhase = {
  endsItself: true,
  run: (run) => takeRunLock(run, run.asked.baseDir),
  title: 'Acquire the lock',
  // A preview changes nothing, so it needs no lock.
  when: ({dryRun}) => !dryRun,
}

export const chooseNewerPatch: SetupPhase = {
  async run(run) {
    const release = await newerPatch(run.asked, run.host, run.signal)
    if (release === undefined) return
    run.asked = await read(run, {...run.input.given, release})
    run.isNewerPatch = true
  },
  title: CLUSTER,
  when: ({input}) => input.upgrade !== undefined,
}

/** After a killed run flanneld may be creating its network. With defaults in place of the cluster's values, a run could only fail. */
export const askCluster: SetupPhase = {
  async run(run) {
    const {asked, host, signal} = run
    const isEnough = async ({unasked}: Decided): Promise<boolean> =>
      unasked === undefined || !(await isNetworkUnsettled(host, asked.baseDir))
    run.config = await untilSettled(host.clock, signal, () => decideAgain(run), isEnough)
  },
  title: CLUSTER,
}

/** As the journal notes it; one that is not trusted is reported by the checks. */
async function isNetworkUnsettled(host: Host, baseDir: string): Promise<boolean> {
  const {journal} = await openTrustedJournal(host, layoutOf(baseDir).journal)
  return isNoteOpen({journal})
}

async function decideAgain(run: SetupRun): Promise<Decided> {
  const {asked, assets, bus, input, limited, redactor, signal} = run
  // What several questions need is asked once, each time.
  const {baseDir, dockerPipe} = asked
  const host = openHost(rememberingMachine(limited.machine), {assets, baseDir, dockerPipe})
  const decided = await decideConfig(asked, host, signal, {
    input: input.input,
    register: (secret) => redactor.register(secret),
    warn: (message) => bus.emit({level: 'warn', message, type: 'log'}),
  })
  run.asked = withToken(asked, decided)
  return decided
}

export const compareWithNode: SetupPhase = {
  async run(run) {
    const upgrade = await findUpgrade(run)
    if (upgrade) run.config = {...run.config, upgrade}
  },
  title: CLUSTER,
  when: ({asked}) => asked.isStored,
}

export const chooseDetachment: SetupPhase = {
  async run(run) {
    const {dryRun, host, input, signal} = run
    const isAsked = input.detaches !== undefined && !dryRun
    run.detaching = (isAsked && (await input.detaches?.(await interruptsNetwork(host), signal))) || 'no'
  },
  title: CLUSTER,
}

/** The network of the host is interrupted for seconds where the overlay network is created: a remote session ends there. */
async function interruptsNetwork({hns}: Pick<Host, 'hns'>): Promise<boolean> {
  // Without the library there is no network either.
  return (await hns.network(NETWORK_NAME).catch(() => undefined)) === undefined
}

export const announce: SetupPhase = {
  async run(run) {
    const {assets, bus, command, config, input, limited} = run
    run.host = openHost(limited.machine, hostOptions(assets, config))
    run.steps = stepsFor(config)
    bus.emit({command, steps: run.steps.map(({id, title}) => ({id, title})), type: 'run-started'})
    reportDecision(config, bus)
    if (input.upgrade) reportRelease(config, run.isNewerPatch === true, bus)
    const upgrade = reportUpgrade(config, bus)
    if (upgrade) run.report.upgrade = upgrade
  },
  title: CLUSTER,
}

/** The cluster may have been unreachable only while it was asked: then the answers must be the defaults that were checked. */
export const demandDecided: SetupPhase = {
  async run(run) {
    const {config} = run
    const again = await decideAgain(run)
    if (again.unasked !== undefined) throw again.unasked as Error
    const valuesOf = (one: Decided): string =>
      JSON.stringify({...one, origin: undefined, unasked: undefined, upgrade: undefined})
    if (valuesOf(again) !== valuesOf(config)) throw config.unasked as Error
  },
  title: CLUSTER,
  when: ({config}) => config.unasked !== undefined,
}
